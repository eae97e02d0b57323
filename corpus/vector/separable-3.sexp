; 3×3 binomial, the product of its column and its row [1 2 1].
; Source: textbook (row 2 of Pascal's triangle).
(filter separable-3
  (inputs image)
  (output out (scale 1/16 (compose (kernel (1) (2) (1))
                                (kernel (1 2 1))))))
