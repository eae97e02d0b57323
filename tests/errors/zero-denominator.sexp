(filter f
  (output a (scale 1/0 (kernel (1 2/0 1)))))
