; 2×2 box: the sum over the neighbourhood, not its mean. The pixel itself is column 1, row 1 of the text,
; counted from 0 at the top left.
; Source: AUKE (Debrunner, Saeedi, Kelly 2018), figure 9: program length over box size.
(filter box-2
  (inputs image)
  (output out (kernel (origin 1 1)
                      (1 1)
                      (1 1))))
