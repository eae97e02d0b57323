(filter f
  (input image)
  (output a (id)))
