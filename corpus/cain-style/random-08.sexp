; Random 3×3 kernel with coefficients k/8, k in 0..8: number 8 of seed 2021.
; Source: corpus/cain-style/generate.py, after Cain, section 4.
(filter random-08
  (inputs image)
  (output out (scale 1/8 (kernel (1 5 0)
                                 (7 8 4)
                                 (5 1 1)))))
