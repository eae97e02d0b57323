(filter f
  (semiring min-plus)
  (output a (fix K (add (shift 1 0 (scale 1 K)) (id)))))
