; Gaussian blur of 3×3 pixels: weights 1 2 1 along both axes, whose sum is 16.
; Source: textbook.
(pipeline binomial
  (inputs (image uint8))
  (border replicate)
  (output out uint8 (floor-shift 4 (filter (compose (kernel (1 2 1)) (kernel (1) (2) (1))) image))))
