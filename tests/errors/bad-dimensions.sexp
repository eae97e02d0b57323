(filter f
  (dimensions 4)
  (output a (id)))
