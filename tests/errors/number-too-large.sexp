(filter f
  (output a (kernel (1 99999999999999999999 1)))
  (output b (scale 1/99999999999999999999 (id))))
