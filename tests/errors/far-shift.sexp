(filter f
  (output a (shift 99999999 0 (id)))
  (output b (shift 1/2 0 (id))))
