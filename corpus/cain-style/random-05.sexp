; Random 3×3 kernel with coefficients k/8, k in 0..8: number 5 of seed 2021.
; Source: corpus/cain-style/generate.py, after Cain, section 4.
(filter random-05
  (inputs image)
  (output out (scale 1/8 (kernel (0 8 3)
                                 (3 2 3)
                                 (6 6 5)))))
