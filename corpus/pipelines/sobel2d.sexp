; How smooth a picture is: 65535 less the squares of its gradients, modulo 2^16.
; Source: SODA's example sobel2d (Chi et al. 2018).
(pipeline sobel2d
  (inputs (image int16))
  (border replicate)
  (let x (wrap int16 (filter (kernel (-1 0 1) (-3 0 3) (-1 0 1)) image)))
  (let y (wrap uint16 (filter (kernel (-1 -3 -1) (0 0 0) (1 3 1)) image)))
  (output out uint16 (wrap uint16 (- 65535 (* x x) (* y y)))))
