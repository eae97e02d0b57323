; 5×5, each row the opposite of its mirror image, of rank two.
; Source: written for kalg.
(filter antisymmetric-5
  (inputs image)
  (output out (scale 1/32 (kernel ( 3  7  2  9  4)
                                  ( 8  1  6  5  2)
                                  ( 0  0  0  0  0)
                                  (-8 -1 -6 -5 -2)
                                  (-3 -7 -2 -9 -4)))))
