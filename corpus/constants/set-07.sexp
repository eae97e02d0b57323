; Products with 3 random constants of 1 to 1023: number 7 of seed 2025.
; Source: corpus/constants/generate.py.
(filter set-07
  (inputs image)
  (output out0 (kernel (849)))
  (output out1 (kernel (283)))
  (output out2 (kernel (559))))
