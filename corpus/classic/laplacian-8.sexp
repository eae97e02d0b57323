; Laplacian over all eight neighbours, negated: positive on a bright spot.
; Source: textbook.
(filter laplacian-8
  (inputs image)
  (output out (kernel (-1 -1 -1)
                      (-1  8 -1)
                      (-1 -1 -1))))
