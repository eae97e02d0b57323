; A step of the heat equation in a volume: an eighth of the second differences along the three axes is added. The three pictures are
; planes of the volume, the one before, the one that is computed, and the one behind.
; Source: SODA's example heat3d (Chi et al. 2018), there in floating point.
(pipeline heat3d
  (inputs (before uint16) (here uint16) (behind uint16))
  (border replicate)
  (let along-z (- (+ before behind) (* 2 here)))
  (let along-plane (filter (kernel (0 1 0) (1 -4 1) (0 1 0)) here))
  (output out uint16 (floor-shift 3 (+ (* 8 here) along-z along-plane))))
