; Features of a face detector: differences of rectangles in a window of 12×12 pixels, as sums of summed-area tables, and a stage of
; a cascade that counts them by thresholds.
; Source: Viola and Jones, Rapid object detection using a boosted cascade of simple features (2001); shapes and thresholds are ours.
(pipeline haar
  (inputs (image uint8))
  (border replicate)
  ; Sums of w × h pixels whose north-western one is the pixel itself.
  (kernel wide (compose (sub (id) (shift 12 0 (id))) (scan x) (sub (id) (shift 0 -4 (id))) (scan 0 -1)))
  (kernel narrow (compose (sub (id) (shift 4 0 (id))) (scan x) (sub (id) (shift 0 -12 (id))) (scan 0 -1)))
  (kernel square (compose (sub (id) (shift 6 0 (id))) (scan x) (sub (id) (shift 0 -6 (id))) (scan 0 -1)))
  ; The band of the eyes, the bridge of the nose, and a checkerboard.
  (let eyes (filter (sub (shift 0 -4 wide) wide) image))
  (let nose (filter (sub (scale 2 (shift 4 0 narrow)) (add narrow (shift 8 0 narrow))) image))
  (let board (filter (sub (add square (shift 6 -6 square)) (add (shift 6 0 square) (shift 0 -6 square))) image))
  (output eyes int16 eyes)
  (output nose int32 nose)
  (output board int16 board)
  (output face uint8
    (select (>= (+ (select (> eyes 500) 3 -1) (select (> nose 200) 2 -2) (select (< (abs board) 2000) 1 -2)) 2) 255 0)))
