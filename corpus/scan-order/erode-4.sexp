; Erosion by a flat square of 4×4: the least pixel of the neighbourhood.
; Source: textbook.
(filter erode-4
  (semiring min-plus)
  (inputs image)
  (output out (kernel (origin 1 1) (0 0 0 0) (0 0 0 0) (0 0 0 0) (0 0 0 0))))
