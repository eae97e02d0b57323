; Two steps of a relaxation: means of a pixel and its four neighbours.
; Source: SODA's example jacobi2d with two iterations (Chi et al. 2018), there in floating point.
(pipeline jacobi2d
  (inputs (field uint16))
  (border replicate)
  (kernel cross (kernel (0 1 0) (1 1 1) (0 1 0)))
  (let first (quotient (filter cross field) 5))
  (output out uint16 (quotient (filter cross first) 5)))
