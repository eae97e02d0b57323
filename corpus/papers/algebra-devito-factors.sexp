; A star whose equal coefficients are factored out: three times the sum of the neighbours, and the pixel.
; Source: Convolutional kernel algebra (Stow, Kelly 2022), section 5, on Devito's factorisation; the coefficients are ours.
(filter algebra-devito-factors
  (inputs image)
  (output out (add (scale 3 (kernel (. 1 .)
                                    (1 . 1)
                                    (. 1 .)))
                   (id))))
