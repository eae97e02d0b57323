(filter f
  (output a (kernel (1 -1)
                    (1 -1))))
