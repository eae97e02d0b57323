; Random 3×3 kernel with coefficients k/8, k in 0..8: number 9 of seed 2021.
; Source: corpus/cain-style/generate.py, after Cain, section 4.
(filter random-09
  (inputs image)
  (output out (scale 1/8 (kernel (8 1 6)
                                 (5 1 1)
                                 (2 6 2)))))
