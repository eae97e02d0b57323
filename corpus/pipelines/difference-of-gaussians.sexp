; Blobs: differences of four Gaussians, each smoothed twice as much as the one before, and the places where the middle one is
; greater than its 26 neighbours in place and scale and than a threshold.
; Source: Lowe, Distinctive image features from scale-invariant keypoints (2004), section 3; the Gaussians are binomial.
(pipeline difference-of-gaussians
  (inputs (image uint8))
  (border replicate)
  (kernel blur (compose (kernel (1 4 6 4 1)) (kernel (1) (4) (6) (4) (1))))
  (kernel twice (compose blur blur))
  (kernel around (semiring max-plus) (kernel (0 0 0) (0 . 0) (0 0 0)))
  (kernel block (semiring max-plus) (kernel (0 0 0) (0 0 0) (0 0 0)))
  (let one (floor-shift 4 (filter blur image)))
  (let two (floor-shift 8 (filter blur one)))
  (let three (floor-shift 16 (filter twice two)))
  (let four (floor-shift 32 (filter (compose twice twice) three)))
  (let fine (- one two))
  (let middle (- two three))
  (let coarse (- three four))
  (let neighbours
    (filter (semiring max-plus) (add (from fine block) (from middle around) (from coarse block)) fine middle coarse))
  (output difference int16 middle)
  (output maxima uint8 (select (and (> middle neighbours) (> middle 24)) 255 0)))
