; Products with 2 random constants of 1 to 1023: number 0 of seed 2025.
; Source: corpus/constants/generate.py.
(filter set-00
  (inputs image)
  (output out0 (kernel (876)))
  (output out1 (kernel (627))))
