; Random 3×3 kernel with coefficients k/8, k in 0..8: number 14 of seed 2021.
; Source: corpus/cain-style/generate.py, after Cain, section 4.
(filter random-14
  (inputs image)
  (output out (scale 1/8 (kernel (6 2 8)
                                 (5 1 2)
                                 (3 0 7)))))
