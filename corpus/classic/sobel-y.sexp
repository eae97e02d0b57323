; 3×3 Sobel, y direction: north minus south, smoothed along x.
; Source: textbook; the companion of sobel-x.
(filter sobel-y
  (inputs image)
  (output out (kernel ( 1  2  1)
                      ( 0  0  0)
                      (-1 -2 -1))))
