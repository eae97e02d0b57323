; 3×3 and 5×5 Gauss as one filter: the terms that they share are to be computed once.
; Source: Cain, table 1 ("5×5 and 3×3 Gauss").
(filter multi-gauss
  (inputs image)
  (output wide (scale 1/64 (kernel ( 0  1  2  1  0)
                                   ( 1  4  6  4  1)
                                   ( 2  6 10  6  2)
                                   ( 1  4  6  4  1)
                                   ( 0  1  2  1  0))))
  (output narrow (scale 1/16 (kernel (1 2 1)
                                     (2 4 2)
                                     (1 2 1)))))
