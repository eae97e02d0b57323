; The kernel that AUKE writes out as a multiset: gauss-3's weights over 8 instead of 16.
; Source: AUKE, example 3, equation 13.
(filter auke-example-3
  (inputs image)
  (output out (scale 1/8 (kernel (1 2 1)
                                 (2 4 2)
                                 (1 2 1)))))
