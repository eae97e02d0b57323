; 5×5 binomial Gaussian as the product of its column and its row, both [1 4 6 4 1]/16.
; Source: textbook (row 4 of Pascal's triangle).
(filter gauss5-separable
  (inputs image)
  (output out (compose (scale 1/16 (kernel (1) (4) (6) (4) (1)))
                       (scale 1/16 (kernel (1 4 6 4 1))))))
