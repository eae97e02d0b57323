; Both derivatives of a 5×5 Gaussian: two outputs of one image.
; Source: textbook (smoothed central differences).
(filter gradient-pair
  (inputs image)
  (output gx (compose (kernel (1) (4) (6) (4) (1)) (kernel (-1 -2 0 2 1))))
  (output gy (compose (kernel (1) (2) (0) (-2) (-1)) (kernel (1 4 6 4 1)))))
