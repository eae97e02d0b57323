(filter f
  (semiring min-plus)
  (output a (neg (id)))
  (output b (sub (id) (id)))
  (output c (scan x))
  (output d (scale inf (kernel (1 -inf x)))))
