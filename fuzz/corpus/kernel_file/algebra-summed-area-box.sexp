; A 5×5 box as four corners of a summed-area table. It denotes the same kernel as classic/box-5.sexp.
; Source: Convolutional kernel algebra (Stow, Kelly 2022), section on integral maps (summed-area tables).
(filter algebra-summed-area-box
  (inputs image)
  (output out (compose (sub (shift -2 0 (id)) (shift 3 0 (id)))
                       (sub (shift 0 -2 (id)) (shift 0 3 (id)))
                       (scan x)
                       (scan y))))
