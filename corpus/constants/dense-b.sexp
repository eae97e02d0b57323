; A dense 5×5 kernel with random coefficients of -128 to 127: b of seed 2025.
; Source: corpus/constants/generate.py.
(filter dense-b
  (inputs image)
  (output out (kernel (107 53 -113 -72 -27)
                      (-22 -66 -4 -112 -69)
                      (-59 60 -84 107 14)
                      (98 -38 37 100 105)
                      (76 -91 92 -114 41))))
