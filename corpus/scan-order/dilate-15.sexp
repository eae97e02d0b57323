; Dilation by a flat square of 15×15: the greatest pixel of the neighbourhood.
; Source: textbook (M. van Herk, 1992, for its cost).
(filter dilate-15
  (semiring max-plus)
  (inputs image)
  (output out (compose (kernel (0 0 0 0 0 0 0 0 0 0 0 0 0 0 0))
                       (kernel (0) (0) (0) (0) (0) (0) (0) (0) (0) (0) (0) (0) (0) (0) (0)))))
