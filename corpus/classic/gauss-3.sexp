; 3×3 binomial approximation of a Gaussian; [1 2 1]/4 in both directions.
; Source: AUKE, table 3; Cain (Stow, Murai, Saeedi, Kelly 2020), table 1.
(filter gauss-3
  (inputs image)
  (output out (scale 1/16 (kernel (1 2 1)
                                  (2 4 2)
                                  (1 2 1)))))
