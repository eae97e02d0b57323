; 7×7, rows mirrored, of full rank: nothing but its symmetry helps.
; Source: written for kalg.
(filter symmetric-7
  (inputs image)
  (output out (scale 1/256 (kernel ( 3  7  2  9  4  1  5)
                                   ( 8  1  6  5  2  7  3)
                                   ( 2  9  5  1  8  4  6)
                                   ( 5 11 13  3  7  2  9)
                                   ( 2  9  5  1  8  4  6)
                                   ( 8  1  6  5  2  7  3)
                                   ( 3  7  2  9  4  1  5)))))
