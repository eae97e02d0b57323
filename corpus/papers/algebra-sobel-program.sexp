; Vertical-edge Sobel as a program of moves, two additions and a subtraction on two registers, each storing at the pixel itself.
; Source: Convolutional kernel algebra (Stow, Kelly 2022), equations 57 and 58 and the program after them.
(filter algebra-sobel-program
  (inputs 1)
  (let program (|> (id)
    (combine (output 2 (from 1 (kernel (1) (+) (.)))))
    (combine (output 1 (add (from 1 (id)) (from 2 (id)))))
    (combine (output 2 (from 1 (kernel (.) (+) (1)))))
    (combine (output 1 (add (from 1 (id)) (from 2 (id)))))
    (combine (output 2 (from 1 (kernel (. + 1)))))
    (combine (output 1 (from 1 (kernel (1 + .)))))
    (combine (output 1 (sub (from 1 (id)) (from 2 (id)))))))
  (output out (compose (from 1 (id)) program)))
