; Gaussian blur of 9×9 pixels: weights 1 9 27 54 67 54 27 9 1 along both axes, whose sum is 249² for 2^16.
; Source: Halide-HLS (Pu et al. 2017), table 1: gaussian.
(pipeline gaussian
  (inputs (image uint8))
  (border replicate)
  (output out uint8
    (floor-shift 16 (filter (compose (kernel (1 9 27 54 67 54 27 9 1))
                                     (kernel (1) (9) (27) (54) (67) (54) (27) (9) (1)))
                            image))))
