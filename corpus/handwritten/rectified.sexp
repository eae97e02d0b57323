; The second difference along rows where it is positive, otherwise 0.
; Source: the definition of a rectifier.
(pipeline rectified
  (inputs (image int8))
  (output out (max 0 (filter (kernel (1 -2 1)) image))))
