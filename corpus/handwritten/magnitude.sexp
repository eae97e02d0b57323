; The magnitude of the difference of a pixel and its neighbour to the east.
; Source: the definition.
(pipeline magnitude
  (inputs (image int8))
  (output out (abs (- (at image 1 0) image))))
