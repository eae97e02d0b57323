; Vertical-edge Sobel by filters alone: one gives two moved copies, the next adds or subtracts them.
; Source: Convolutional kernel algebra (Stow, Kelly 2022), equation 48. It denotes the same kernel as classic/sobel-x.sexp.
(filter algebra-sobel-filters
  (inputs 1)
  (let add (add (from 1 (id)) (from 2 (id))))
  (output out (compose (sub (from 1 (id)) (from 2 (id)))
                       (combine (output 1 (from 1 (shift -1 0 (id)))) (output 2 (from 1 (shift 1 0 (id)))))
                       (combine (output 1 add))
                       (combine (output 1 (from 1 (shift 0 1 (id)))) (output 2 (from 1 (id))))
                       (combine (output 1 add))
                       (combine (output 2 (from 1 (shift 0 -1 (id)))) _))))
