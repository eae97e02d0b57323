; Random 3×3 kernel with coefficients k/8, k in 0..8: number 2 of seed 2021.
; Source: corpus/cain-style/generate.py, after Cain, section 4.
(filter random-02
  (inputs image)
  (output out (scale 1/8 (kernel (4 0 8)
                                 (7 1 3)
                                 (7 4 8)))))
