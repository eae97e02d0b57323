; 7×7 binomial, the product of its column and its row.
; Source: textbook (row 6 of Pascal's triangle).
(filter separable-7
  (inputs image)
  (output out (scale 1/4096 (compose (kernel (1) (6) (15) (20) (15) (6) (1))
                                (kernel (1 6 15 20 15 6 1))))))
