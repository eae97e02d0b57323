; Products with 4 random constants of 1 to 1023: number 2 of seed 2025.
; Source: corpus/constants/generate.py.
(filter set-02
  (inputs image)
  (output out0 (kernel (233)))
  (output out1 (kernel (558)))
  (output out2 (kernel (544)))
  (output out3 (kernel (615))))
