(filter f
  (output a (scale (kernel (1 2 1))))
  (output b (sub (id)))
  (output c (id image))
  (output d (add))
  (output e)
  (output f (shift 1 (id))))
