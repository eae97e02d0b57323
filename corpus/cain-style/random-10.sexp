; Random 3×3 kernel with coefficients k/8, k in 0..8: number 10 of seed 2021.
; Source: corpus/cain-style/generate.py, after Cain, section 4.
(filter random-10
  (inputs image)
  (output out (scale 1/8 (kernel (5 3 2)
                                 (1 1 0)
                                 (5 5 8)))))
