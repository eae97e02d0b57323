; How many pixels of each cell of 8×8 are in each of 8 levels of 32 grey values: one result for 64 pixels.
; Source: Halide-HLS (Pu et al. 2017), table 3: histogram.
(pipeline histogram
  (inputs (image uint8))
  (border replicate)
  (let count (histogram 8 8 8 (floor-shift 5 image) 1))
  (output level0 uint8 (gather count 0 0 0))
  (output level1 uint8 (gather count 0 0 1))
  (output level2 uint8 (gather count 0 0 2))
  (output level3 uint8 (gather count 0 0 3))
  (output level4 uint8 (gather count 0 0 4))
  (output level5 uint8 (gather count 0 0 5))
  (output level6 uint8 (gather count 0 0 6))
  (output level7 uint8 (gather count 0 0 7)))
