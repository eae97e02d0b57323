; The binomial row [1 2 1]/4, the factor of every binomial Gaussian.
; Source: textbook.
(filter row-121
  (inputs image)
  (output out (scale 1/4 (kernel (1 2 1)))))
