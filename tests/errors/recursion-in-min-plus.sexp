(filter f
  (semiring min-plus)
  (output a (fix K (add (shift 1 0 (scale 1 K)) (id))))
  (output b (fix K (add (scale -1/2 K) (id))))
  (output c (fix K (add (scale 2 K) (id)))))
