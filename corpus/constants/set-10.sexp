; Products with 3 random constants of 1 to 1023: number 10 of seed 2025.
; Source: corpus/constants/generate.py.
(filter set-10
  (inputs image)
  (output out0 (kernel (360)))
  (output out1 (kernel (929)))
  (output out2 (kernel (748))))
