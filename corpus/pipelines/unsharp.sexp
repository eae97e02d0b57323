; Unsharp masking of a colour image: the grey value is sharpened, and each colour is scaled as the grey value was.
; Source: Halide-HLS (Pu et al. 2017), table 1: unsharp.
(pipeline unsharp
  (inputs (red uint8) (green uint8) (blue uint8))
  (border replicate)
  (let gray (floor-shift 8 (+ (* 77 red) (* 150 green) (* 29 blue))))
  (let blur (floor-shift 16 (filter (compose (kernel (1 9 27 54 67 54 27 9 1))
                                             (kernel (1) (9) (27) (54) (67) (54) (27) (9) (1)))
                                    gray)))
  (let sharp (clamp 0 255 (- (* 2 gray) blur)))
  (let ratio (clamp 0 255 (quotient (* 32 sharp) (max gray 1))))
  (output red uint8 (clamp 0 255 (floor-shift 5 (* ratio red))))
  (output green uint8 (clamp 0 255 (floor-shift 5 (* ratio green))))
  (output blue uint8 (clamp 0 255 (floor-shift 5 (* ratio blue)))))
