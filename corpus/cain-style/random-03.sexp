; Random 3×3 kernel with coefficients k/8, k in 0..8: number 3 of seed 2021.
; Source: corpus/cain-style/generate.py, after Cain, section 4.
(filter random-03
  (inputs image)
  (output out (scale 1/8 (kernel (5 5 6)
                                 (1 3 3)
                                 (7 7 7)))))
