; Products with 4 random constants of 1 to 1023: number 8 of seed 2025.
; Source: corpus/constants/generate.py.
(filter set-08
  (inputs image)
  (output out0 (kernel (282)))
  (output out1 (kernel (578)))
  (output out2 (kernel (654)))
  (output out3 (kernel (918))))
