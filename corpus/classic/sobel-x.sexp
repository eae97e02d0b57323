; 3×3 Sobel, x direction: west minus east, smoothed along y.
; Source: AUKE, table 3; the sign is that of Cain's test set.
(filter sobel-x
  (inputs image)
  (output out (kernel ( 1  0 -1)
                      ( 2  0 -2)
                      ( 1  0 -1))))
