; Random 3×3 kernel with coefficients k/8, k in 0..8: number 12 of seed 2021.
; Source: corpus/cain-style/generate.py, after Cain, section 4.
(filter random-12
  (inputs image)
  (output out (scale 1/8 (kernel (0 6 5)
                                 (0 6 8)
                                 (7 5 8)))))
