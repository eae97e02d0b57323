; Random 3×3 kernel with coefficients k/8, k in 0..8: number 11 of seed 2021.
; Source: corpus/cain-style/generate.py, after Cain, section 4.
(filter random-11
  (inputs image)
  (output out (scale 1/8 (kernel (0 8 4)
                                 (0 8 6)
                                 (2 1 0)))))
