; Products with 3 random constants of 1 to 1023: number 4 of seed 2025.
; Source: corpus/constants/generate.py.
(filter set-04
  (inputs image)
  (output out0 (kernel (875)))
  (output out1 (kernel (287)))
  (output out2 (kernel (340))))
