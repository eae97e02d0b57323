(filter f
  (inputs left right left)
  (let k (from left (id)))
  (let k (from right (id)))
  (output a k)
  (output a (neg k)))
