; A binary picture spread to the four neighbours, twice.
; Source: the definition of dilation.
(pipeline spread
  (inputs (image uint1))
  (let once (or image (at image 1 0) (at image -1 0) (at image 0 1) (at image 0 -1)))
  (output out (or once (at once 1 0) (at once -1 0) (at once 0 1) (at once 0 -1))))
