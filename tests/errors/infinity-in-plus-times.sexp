(filter f
  (output a (kernel (1 inf 1))))
