(filter f
  (output a (kernel (1 0 -1)
                    (2 -2)
                    (1 0 -1))))
