; Products with 2 random constants of 1 to 1023: number 9 of seed 2025.
; Source: corpus/constants/generate.py.
(filter set-09
  (inputs image)
  (output out0 (kernel (152)))
  (output out1 (kernel (1))))
