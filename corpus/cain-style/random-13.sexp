; Random 3×3 kernel with coefficients k/8, k in 0..8: number 13 of seed 2021.
; Source: corpus/cain-style/generate.py, after Cain, section 4.
(filter random-13
  (inputs image)
  (output out (scale 1/8 (kernel (3 4 8)
                                 (4 5 2)
                                 (6 5 8)))))
