; The second output lacks a parenthesis: the indentation shows where.
(filter f
  (inputs image)
  (output a (kernel (1 2 1))
  (output b (id)))
