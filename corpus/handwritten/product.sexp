; A product of pixels is not piecewise linear.
; Source: made up, to be refused.
(pipeline product
  (inputs (image int8))
  (output out (* image image)))
