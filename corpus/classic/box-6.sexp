; 6×6 box: the sum over the neighbourhood, not its mean. The pixel itself is column 3, row 3 of the text,
; counted from 0 at the top left.
; Source: AUKE (Debrunner, Saeedi, Kelly 2018), figure 9: program length over box size.
(filter box-6
  (inputs image)
  (output out (kernel (origin 3 3)
                      (1 1 1 1 1 1)
                      (1 1 1 1 1 1)
                      (1 1 1 1 1 1)
                      (1 1 1 1 1 1)
                      (1 1 1 1 1 1)
                      (1 1 1 1 1 1))))
