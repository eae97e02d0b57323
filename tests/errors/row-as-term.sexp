(filter f
  (output a (1 2 1))
  (output b ((1 2 1) (2 4 2) (1 2 1)))
  (output c "kernel")
  (output d ()))
