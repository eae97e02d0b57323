(filter f
  (output a (kernel (1 + 1)))
  (output b (|> (id) (compose (kernel (1 . +)) (id)))))
