; 5×5, rows mirrored, of full rank: nothing but its symmetry helps.
; Source: written for kalg.
(filter symmetric-5
  (inputs image)
  (output out (scale 1/128 (kernel ( 3  7  2  9  4)
                                   ( 8  1  6  5  2)
                                   ( 5 11 13  3  7)
                                   ( 8  1  6  5  2)
                                   ( 3  7  2  9  4)))))
