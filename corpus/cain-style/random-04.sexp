; Random 3×3 kernel with coefficients k/8, k in 0..8: number 4 of seed 2021.
; Source: corpus/cain-style/generate.py, after Cain, section 4.
(filter random-04
  (inputs image)
  (output out (scale 1/8 (kernel (1 8 3)
                                 (7 7 4)
                                 (2 4 0)))))
