; Sobel in four directions: along both axes and both diagonals.
; Source: corpus/constants/generate.py.
(filter sobel-directions
  (inputs image)
  (output x (kernel (-1 0 1)
                    (-2 0 2)
                    (-1 0 1)))
  (output falling (kernel (-2 -1 0)
                          (-1 0 1)
                          (0 1 2)))
  (output y (kernel (1 2 1)
                    (0 0 0)
                    (-1 -2 -1)))
  (output rising (kernel (0 1 2)
                         (-1 0 1)
                         (-2 -1 0))))
