; The greatest of 2 × 2 pixels, the one given being in the south-west.
; Source: the definition of pooling.
(pipeline max-2
  (inputs (image int8))
  (output out (max image (at image 1 0) (at image 0 1) (at image 1 1))))
