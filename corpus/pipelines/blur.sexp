; Mean of 3×3 pixels.
; Source: SODA's example blur (Chi et al. 2018).
(pipeline blur
  (inputs (image uint16))
  (border replicate)
  (output out uint16 (quotient (filter (kernel (1 1 1) (1 1 1) (1 1 1)) image) 9)))
