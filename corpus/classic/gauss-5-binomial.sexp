; 5×5 binomial Gaussian: [1 4 6 4 1]/16 in both directions, that is gauss-3's factors applied twice.
; Source: textbook (row 4 of Pascal's triangle).
(filter gauss-5-binomial
  (inputs image)
  (output out (scale 1/256 (kernel ( 1  4  6  4  1)
                                   ( 4 16 24 16  4)
                                   ( 6 24 36 24  6)
                                   ( 4 16 24 16  4)
                                   ( 1  4  6  4  1)))))
