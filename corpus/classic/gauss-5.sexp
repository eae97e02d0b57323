; 5×5 Gaussian with the fewest halvings, six; of rank three, so no product of a row and a column.
; Source: the 5×5 Gauss that AUKE (table 3) and Cain (table 1) are compared on, as in Cain's published test set.
(filter gauss-5
  (inputs image)
  (output out (scale 1/64 (kernel ( 0  1  2  1  0)
                                  ( 1  4  6  4  1)
                                  ( 2  6 10  6  2)
                                  ( 1  4  6  4  1)
                                  ( 0  1  2  1  0)))))
