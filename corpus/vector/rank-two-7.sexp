; 7×7 difference of two binomial Gaussians, 64 · [1 2 1]ᵀ[1 2 1] taken from row 6 of Pascal's triangle: of rank two.
; Source: textbook (difference of Gaussians).
(filter rank-two-7
  (inputs image)
  (output out (scale 1/4096 (kernel (  1   6  15  20  15   6   1)
                                    (  6  36  90 120  90  36   6)
                                    ( 15  90 161 172 161  90  15)
                                    ( 20 120 172 144 172 120  20)
                                    ( 15  90 161 172 161  90  15)
                                    (  6  36  90 120  90  36   6)
                                    (  1   6  15  20  15   6   1)))))
