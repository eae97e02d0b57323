; Morphological gradient: the dilation less the erosion by a disc of 5×5 pixels.
; Source: Serra, Image analysis and mathematical morphology (1982).
(pipeline morphological-gradient
  (inputs (image uint8))
  (border reflect101)
  (let dilated (filter (semiring max-plus) (kernel (. 0 0 0 .) (0 0 0 0 0) (0 0 0 0 0) (0 0 0 0 0) (. 0 0 0 .)) image))
  (let eroded (filter (semiring min-plus) (kernel (. 0 0 0 .) (0 0 0 0 0) (0 0 0 0 0) (0 0 0 0 0) (. 0 0 0 .)) image))
  (output out uint8 (saturate uint8 (- dilated eroded))))
