; 5×5 unsharp mask: twice the pixel minus gauss-5-binomial.
; Source: textbook.
(filter unsharp-5
  (inputs image)
  (output out (scale 1/256 (kernel ( -1  -4  -6  -4  -1)
                                   ( -4 -16 -24 -16  -4)
                                   ( -6 -24 476 -24  -6)
                                   ( -4 -16 -24 -16  -4)
                                   ( -1  -4  -6  -4  -1)))))
