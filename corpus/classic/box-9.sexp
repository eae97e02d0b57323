; 9×9 box: the sum over the neighbourhood, not its mean.
; Source: AUKE (Debrunner, Saeedi, Kelly 2018), figure 9: program length over box size.
(filter box-9
  (inputs image)
  (output out (kernel (1 1 1 1 1 1 1 1 1)
                      (1 1 1 1 1 1 1 1 1)
                      (1 1 1 1 1 1 1 1 1)
                      (1 1 1 1 1 1 1 1 1)
                      (1 1 1 1 1 1 1 1 1)
                      (1 1 1 1 1 1 1 1 1)
                      (1 1 1 1 1 1 1 1 1)
                      (1 1 1 1 1 1 1 1 1)
                      (1 1 1 1 1 1 1 1 1))))
