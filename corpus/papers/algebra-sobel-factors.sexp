; Vertical-edge Sobel as a composition of two-tap factors, each a sum of single-entry kernels.
; Source: Convolutional kernel algebra (Stow, Kelly 2022), sections on composition and on filters. It denotes
; the same kernel as classic/sobel-x.sexp.
(filter algebra-sobel-factors
  (inputs image)
  (output out (compose (add (shift 0 1 (id)) (id))
                       (add (id) (shift 0 -1 (id)))
                       (add (shift -1 0 (id)) (id))
                       (sub (id) (shift 1 0 (id))))))
