; 2×2 Roberts cross, falling diagonal. The pixel itself is the lower right corner.
; Source: textbook.
(filter roberts
  (inputs image)
  (output out (kernel (origin 1 1)
                      ( 1  0)
                      ( 0 -1))))
