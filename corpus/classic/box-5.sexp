; 5×5 box: the sum over the neighbourhood, not its mean.
; Source: AUKE (Debrunner, Saeedi, Kelly 2018), figure 7, listing 1 and table 3.
(filter box-5
  (inputs image)
  (output out (kernel (1 1 1 1 1)
                      (1 1 1 1 1)
                      (1 1 1 1 1)
                      (1 1 1 1 1)
                      (1 1 1 1 1))))
