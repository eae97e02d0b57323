; 7×7 box: the sum over the neighbourhood, not its mean.
; Source: AUKE (Debrunner, Saeedi, Kelly 2018), figure 9 and table 3.
(filter box-7
  (inputs image)
  (output out (kernel (1 1 1 1 1 1 1)
                      (1 1 1 1 1 1 1)
                      (1 1 1 1 1 1 1)
                      (1 1 1 1 1 1 1)
                      (1 1 1 1 1 1 1)
                      (1 1 1 1 1 1 1)
                      (1 1 1 1 1 1 1))))
