; Every pixel moves down and up again. The result is the pixel, and a zero south of it: the value was stored there on the way.
; Source: Convolutional kernel algebra (Stow, Kelly 2022), section on instructions and the operator ⊳.
(filter algebra-down-up
  (inputs image)
  (output out (|> (id)
                  (kernel (1)
                          (+)
                          (.))
                  (kernel (.)
                          (+)
                          (1)))))
