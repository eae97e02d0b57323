(filter f
  (dimensions 1)
  (output a (kernel (1) (2) (1)))
  (output b (scan north)))
