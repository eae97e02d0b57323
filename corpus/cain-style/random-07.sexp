; Random 3×3 kernel with coefficients k/8, k in 0..8: number 7 of seed 2021.
; Source: corpus/cain-style/generate.py, after Cain, section 4.
(filter random-07
  (inputs image)
  (output out (scale 1/8 (kernel (6 6 4)
                                 (6 2 6)
                                 (2 7 4)))))
