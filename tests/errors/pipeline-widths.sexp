(pipeline widths
  (inputs (image uint32))
  (let cube (* image image image))
  (let square (* image image))
  (let narrow uint32 square)
  (output out uint16 (floor-shift 8 square))
  (output fraction (* 1/3 image))
  (output single uint8 (float image)))
