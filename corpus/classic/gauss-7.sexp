; 7×7 binomial Gaussian: [1 6 15 20 15 6 1]/64 in both directions.
; Source: textbook (row 6 of Pascal's triangle).
(filter gauss-7
  (inputs image)
  (output out (scale 1/4096 (kernel (  1   6  15  20  15   6   1)
                                    (  6  36  90 120  90  36   6)
                                    ( 15  90 225 300 225  90  15)
                                    ( 20 120 300 400 300 120  20)
                                    ( 15  90 225 300 225  90  15)
                                    (  6  36  90 120  90  36   6)
                                    (  1   6  15  20  15   6   1)))))
