; Dilation of binary images by a disc of radius 3.
; Source: textbook.
(filter disc-or
  (semiring or-and)
  (inputs image)
  (output out (kernel (. . 1 1 1 . .)
                      (. 1 1 1 1 1 .)
                      (1 1 1 1 1 1 1)
                      (1 1 1 1 1 1 1)
                      (1 1 1 1 1 1 1)
                      (. 1 1 1 1 1 .)
                      (. . 1 1 1 . .))))
