(filter f
  (inputs image)
  (output a (kernel (1 2
