; Emboss: a diagonal derivative added to the pixel.
; Source: textbook.
(filter emboss
  (inputs image)
  (output out (kernel (-2 -1  0)
                      (-1  1  1)
                      ( 0  1  2))))
