; A step of a relaxation in a volume: the mean of a voxel and its six neighbours. The three pictures are planes of the volume, the one
; before, the one that is computed, and the one behind.
; Source: SODA's example jacobi3d (Chi et al. 2018), there in floating point.
(pipeline jacobi3d
  (inputs (before uint16) (here uint16) (behind uint16))
  (border replicate)
  (output out uint16 (quotient (+ (filter (kernel (0 1 0) (1 1 1) (0 1 0)) here) before behind) 7)))
