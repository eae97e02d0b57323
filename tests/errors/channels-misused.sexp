(filter f
  (inputs left right)
  (let both (combine (output l (from left (id))) (output r (from right (id)))))
  (output a both)
  (output b (from left (from right (id))))
  (output c (compose (from left (id)) (from right (id))))
  (output d (add both (from left (id))))
  (output e (compose (from left (id)) both)))
