; Products with 2 random constants of 1 to 1023: number 3 of seed 2025.
; Source: corpus/constants/generate.py.
(filter set-03
  (inputs image)
  (output out0 (kernel (320)))
  (output out1 (kernel (165))))
