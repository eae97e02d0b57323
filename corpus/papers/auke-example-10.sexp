; The row [1 1/2 1], on which graph relaxation saves two instructions.
; Source: AUKE, example 10, equation 23, and figure 5.
(filter auke-example-10
  (inputs image)
  (output out (scale 1/2 (kernel (2 1 2)))))
