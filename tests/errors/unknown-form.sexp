(filter f
  (output a (kernal (1 2 1)))
  (output b (rotate 90 (id)))
  (output c (let k (id))))
