; 15×15 box, not divided by anything.
; Source: textbook.
(filter box-15
  (inputs image)
  (output out (compose (kernel (1) (1) (1) (1) (1) (1) (1) (1) (1) (1) (1) (1) (1) (1) (1))
                       (kernel (1 1 1 1 1 1 1 1 1 1 1 1 1 1 1)))))
