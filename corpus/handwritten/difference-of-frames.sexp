; Where two binary frames differ.
; Source: the definition.
(pipeline difference-of-frames
  (inputs (one uint1) (other uint1))
  (output out (!= one other)))
