; A dense 5×5 kernel with random coefficients of -128 to 127: a of seed 2025.
; Source: corpus/constants/generate.py.
(filter dense-a
  (inputs image)
  (output out (kernel (-86 116 -40 -128 62)
                      (64 -10 -95 67 77)
                      (-78 -106 -68 -20 64)
                      (-78 82 -103 -114 -94)
                      (-29 -32 -115 -12 75))))
