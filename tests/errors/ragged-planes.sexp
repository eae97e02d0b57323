(filter f
  (dimensions 3)
  (output a (kernel (plane (1 2 1) (2 4 2) (1 2 1))
                    (plane (1 2 1) (2 4 2))
                    (plane (1 2 1) (2 4 2) (1 2)))))
