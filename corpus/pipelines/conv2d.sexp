; Two Gaussian filters of 5×5 pixels, one after the other: a product of a column and a row, and one that is none.
; Source: Halide-HLS (Pu et al. 2017), table 2 and figure 10: conv2d, for one of its three channels.
(pipeline conv2d (inputs (image uint8)) (border replicate)
  (let once (floor-shift 16 (filter (compose (kernel (30 59 74 59 30)) (kernel (30) (59) (74) (59) (30))) image)))
  (output out uint8 (floor-shift 8 (filter (kernel (1 3 6 3 1) (3 15 25 15 3) (6 25 44 25 6) (3 15 25 15 3) (1 3 6 3 1)) once))))
