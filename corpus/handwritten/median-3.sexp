; The median of a pixel and its neighbours to the west and east.
; Source: the definition.
(pipeline median-3
  (inputs (image int8))
  (let west (at image -1 0))
  (let east (at image 1 0))
  (output out (max (min west image) (min east (max west image)))))
