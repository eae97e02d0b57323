(filter f
  (output a (kernel (origin 2 0)
                    (1 -1)
                    (1 -1))))
