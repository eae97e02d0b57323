; Two steps of a relaxation: means of 3×3 pixels.
; Source: SODA's example seidel2d with two iterations (Chi et al. 2018), there in floating point.
(pipeline seidel2d
  (inputs (field uint16))
  (border replicate)
  (kernel box (kernel (1 1 1) (1 1 1) (1 1 1)))
  (let first (quotient (filter box field) 9))
  (output out uint16 (quotient (filter box first) 9)))
