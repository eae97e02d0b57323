; 4×4 box: the sum over the neighbourhood, not its mean. The pixel itself is column 2, row 2 of the text,
; counted from 0 at the top left.
; Source: AUKE (Debrunner, Saeedi, Kelly 2018), figure 9: program length over box size.
(filter box-4
  (inputs image)
  (output out (kernel (origin 2 2)
                      (1 1 1 1)
                      (1 1 1 1)
                      (1 1 1 1)
                      (1 1 1 1))))
