; Products with 3 random constants of 1 to 1023: number 1 of seed 2025.
; Source: corpus/constants/generate.py.
(filter set-01
  (inputs image)
  (output out0 (kernel (860)))
  (output out1 (kernel (251)))
  (output out2 (kernel (353))))
