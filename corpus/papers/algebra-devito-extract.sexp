; What is invariant under shifts, computed once and read at two places.
; Source: Convolutional kernel algebra (Stow, Kelly 2022), section 5, on Devito's extraction; the coefficients are ours.
(filter algebra-devito-extract
  (inputs image)
  (output out (compose (add (shift 0 1 (id)) (shift 0 -1 (id)))
                       (kernel (1 5 1)))))
