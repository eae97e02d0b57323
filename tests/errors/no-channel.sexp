(filter f
  (inputs left right)
  (let k (kernel (1 2 1)))
  (output a (compose k k))
  (output b (sub (from left k) k)))
