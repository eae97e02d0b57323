; 15×15 box: the sum over the neighbourhood, not its mean.
; Source: textbook; the size that benchmarks of box filters use.
(filter box-15
  (inputs image)
  (output out (compose (kernel (1 1 1 1 1 1 1 1 1 1 1 1 1 1 1))
                       (kernel (1) (1) (1) (1) (1) (1) (1) (1) (1) (1) (1) (1) (1) (1) (1)))))
