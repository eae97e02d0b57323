; 3×3 Prewitt, y direction: north minus south, summed along x.
; Source: textbook.
(filter prewitt-y
  (inputs image)
  (output out (kernel ( 1  1  1)
                      ( 0  0  0)
                      (-1 -1 -1))))
