(filter f
  (semiring min-times)
  (output a (kernel (1 inf 1))))
