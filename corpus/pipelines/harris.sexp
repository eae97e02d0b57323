; Harris corners: gradients by Sobel kernels, their products summed over 3×3 pixels, the corner measure det − trace²/25,
; its local maxima over 3×3 pixels, and a threshold.
; Source: Halide-HLS (Pu et al. 2017), table 1: harris, there with the measure in floating point.
(pipeline harris
  (inputs (image uint8))
  (border replicate)
  (kernel box (kernel (1 1 1) (1 1 1) (1 1 1)))
  (let gx (filter (kernel (-1 0 1) (-2 0 2) (-1 0 1)) image))
  (let gy (filter (kernel (1 2 1) (0 0 0) (-1 -2 -1)) image))
  (let sxx (quotient (quotient (filter box (* gx gx)) 12) 12))
  (let syy (quotient (quotient (filter box (* gy gy)) 12) 12))
  (let sxy (quotient (quotient (filter box (* gx gy)) 12) 12))
  (let trace (+ sxx syy))
  (let measure (- (* sxx syy) (* sxy sxy) (quotient (* trace trace) 25)))
  (let around (filter (semiring max-plus) (kernel (0 0 0) (0 . 0) (0 0 0)) measure))
  (output out uint8 (select (and (> measure around) (>= measure 100)) 255 0)))
