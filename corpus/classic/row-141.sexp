; The row [1 4 1]/8.
; Source: AUKE, examples 2 (approximated from [0.128 0.49 0.13] at depth 3) and 4.
(filter row-141
  (inputs image)
  (output out (scale 1/8 (kernel (1 4 1)))))
