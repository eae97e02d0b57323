; 3×3 Prewitt, x direction: west minus east, summed along y.
; Source: textbook.
(filter prewitt-x
  (inputs image)
  (output out (kernel ( 1  0 -1)
                      ( 1  0 -1)
                      ( 1  0 -1))))
