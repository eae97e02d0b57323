; 11×11 bell, the product of its column and its row; sums of columns of 8-bit data fit 16 bits.
; Source: written for kalg.
(filter separable-11
  (inputs image)
  (output out (scale 1/4096 (compose (kernel (1) (2) (4) (8) (12) (16) (12) (8) (4) (2) (1))
                                (kernel (1 2 4 8 12 16 12 8 4 2 1))))))
