; The sum of 3 × 3 pixels where the pixel in the middle is positive, otherwise 0.
; Source: the definition.
(pipeline masked-box-3
  (inputs (image int8))
  (output out (select (> image 0) (filter (kernel (1 1 1) (1 1 1) (1 1 1)) image) 0)))
