; Multiplication by 0.6, approximated at depth 3: 1/2 + 1/8.
; Source: AUKE, example 1, equations 2 and 3.
(filter auke-example-1
  (inputs image)
  (output out (scale 5/8 (kernel (1)))))
