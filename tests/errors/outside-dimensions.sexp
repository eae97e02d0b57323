(filter f
  (output a (scan z))
  (output b (shift 0 0 1 (id)))
  (output c (kernel (plane (1)) (plane (1)) (plane (1)))))
