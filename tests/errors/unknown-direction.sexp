(filter f
  (output a (scan left))
  (output b (scan wset)))
