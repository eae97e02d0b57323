; 3×3 Scharr, y direction.
; Source: textbook; the companion of scharr-x.
(filter scharr-y
  (inputs image)
  (output out (kernel (  3  10   3)
                      (  0   0   0)
                      ( -3 -10  -3))))
