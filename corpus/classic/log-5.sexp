; 5×5 Laplacian of a Gaussian, negated (the "Mexican hat").
; Source: textbook.
(filter log-5
  (inputs image)
  (output out (kernel ( 0  0 -1  0  0)
                      ( 0 -1 -2 -1  0)
                      (-1 -2 16 -2 -1)
                      ( 0 -1 -2 -1  0)
                      ( 0  0 -1  0  0))))
