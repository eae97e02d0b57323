; 3×3 Scharr, x direction: as Sobel, with the smoothing [3 10 3] that is closest to rotation symmetry.
; Source: textbook.
(filter scharr-x
  (inputs image)
  (output out (kernel (  3   0  -3)
                      ( 10   0 -10)
                      (  3   0  -3))))
