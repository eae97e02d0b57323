; Random 3×3 kernel with coefficients k/8, k in 0..8: number 6 of seed 2021.
; Source: corpus/cain-style/generate.py, after Cain, section 4.
(filter random-06
  (inputs image)
  (output out (scale 1/8 (kernel (4 0 4)
                                 (1 1 2)
                                 (7 3 2)))))
