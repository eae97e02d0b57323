; Random 3×3 kernel with coefficients k/8, k in 0..8: number 15 of seed 2021.
; Source: corpus/cain-style/generate.py, after Cain, section 4.
(filter random-15
  (inputs image)
  (output out (scale 1/8 (kernel (8 2 7)
                                 (3 5 8)
                                 (8 2 0)))))
