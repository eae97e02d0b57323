(filter f
  (output a (scale x (kernel (1 two 1))))
  (output b (kernel (1, 2, 1)))
  (output c (kernel (−1 0 1)))
  (output d (kernel (1 (2) 1))))
