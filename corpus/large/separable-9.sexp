; 9×9 binomial: the product of a column and a row of binomial coefficients, written out, over 4^8.
; Source: ours; the next of the binomials in classic/.
(filter separable-9
  (inputs image)
  (output out (scale 1/65536 (kernel (   1    8   28   56   70   56   28    8    1)
                                     (   8   64  224  448  560  448  224   64    8)
                                     (  28  224  784 1568 1960 1568  784  224   28)
                                     (  56  448 1568 3136 3920 3136 1568  448   56)
                                     (  70  560 1960 3920 4900 3920 1960  560   70)
                                     (  56  448 1568 3136 3920 3136 1568  448   56)
                                     (  28  224  784 1568 1960 1568  784  224   28)
                                     (   8   64  224  448  560  448  224   64    8)
                                     (   1    8   28   56   70   56   28    8    1)))))
