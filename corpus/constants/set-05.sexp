; Products with 4 random constants of 1 to 1023: number 5 of seed 2025.
; Source: corpus/constants/generate.py.
(filter set-05
  (inputs image)
  (output out0 (kernel (302)))
  (output out1 (kernel (370)))
  (output out2 (kernel (78)))
  (output out3 (kernel (572))))
