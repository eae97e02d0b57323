; Both diagonals of the 2×2 Roberts cross as one filter. The pixel itself is the lower right corner.
; Source: textbook.
(filter roberts-pair
  (inputs image)
  (output falling (kernel (origin 1 1)
                          ( 1  0)
                          ( 0 -1)))
  (output rising (kernel (origin 1 1)
                         ( 0  1)
                         (-1  0))))
