; Motion blur along the falling diagonal, five pixels: their sum, not their mean (1/5 is no sum of powers of
; two).
; Source: textbook.
(filter motion-blur
  (inputs image)
  (output out (kernel (1 0 0 0 0)
                      (0 1 0 0 0)
                      (0 0 1 0 0)
                      (0 0 0 1 0)
                      (0 0 0 0 1))))
