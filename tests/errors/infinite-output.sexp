(filter f
  (output a (id))
  (output b (compose (kernel (1 2 1)) (scan x))))
