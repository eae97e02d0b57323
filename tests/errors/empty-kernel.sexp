(filter f
  (output a (kernel))
  (output b (kernel ()))
  (output c (kernel (origin 0 0))))
