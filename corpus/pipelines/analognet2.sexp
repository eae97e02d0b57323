; AnalogNet2 as far as the sensor computes it: three kernels in quarters, ReLU, and the sums of 8×8 pixels, which the dense layers of a
; processor beside it take. These layers are not in the paper.
; Source: Wong, Murai, Stow, Saeedi, Kelly 2020, as given in Cain (Stow et al. 2020), example 1; the size of the cells is ours.
(pipeline analognet2
  (inputs (image uint8))
  (border zero)
  (let a (max 0 (filter (kernel (0 0 0) (-3 1 0) (-3 0 2)) image)))
  (let b (max 0 (filter (kernel (-4 -1 1) (-1 2 0) (1 1 0)) image)))
  (let c (max 0 (filter (kernel (-1 2 0) (-1 1 -3) (0 -3 0)) image)))
  (output a uint16 (rate 1/8 1/8) (floor-shift 2 (down 8 8 (filter (compose (kernel (origin 0 0) (1 1 1 1 1 1 1 1)) (kernel (origin 0 0) (1) (1) (1) (1) (1) (1) (1) (1))) a))))
  (output b uint16 (rate 1/8 1/8) (floor-shift 2 (down 8 8 (filter (compose (kernel (origin 0 0) (1 1 1 1 1 1 1 1)) (kernel (origin 0 0) (1) (1) (1) (1) (1) (1) (1) (1))) b))))
  (output c uint16 (rate 1/8 1/8) (floor-shift 2 (down 8 8 (filter (compose (kernel (origin 0 0) (1 1 1 1 1 1 1 1)) (kernel (origin 0 0) (1) (1) (1) (1) (1) (1) (1) (1))) c)))))
