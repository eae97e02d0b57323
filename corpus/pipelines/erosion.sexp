; The least of 19×19 pixels.
; Source: SODA's example erosion (Chi et al. 2018).
(pipeline erosion
  (inputs (image uint16))
  (border replicate)
  (kernel row (semiring min-plus) (kernel (0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0)))
  (kernel column (semiring min-plus)
    (kernel (0) (0) (0) (0) (0) (0) (0) (0) (0) (0) (0) (0) (0) (0) (0) (0) (0) (0) (0)))
  (output out uint16 (filter (semiring min-plus) (compose row column) image)))
