; 5×5 binomial, the product of its column and its row [1 4 6 4 1].
; Source: textbook (row 4 of Pascal's triangle).
(filter separable-5
  (inputs image)
  (output out (scale 1/256 (compose (kernel (1) (4) (6) (4) (1))
                                (kernel (1 4 6 4 1))))))
