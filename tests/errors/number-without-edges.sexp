(pipeline counts
  (inputs (image uint8))
  ; How many pixels of a window are on the picture: of a number, nothing says where that ends.
  (output right (filter (kernel (1 1 1)) (border zero (+ (* 0 image) 1))))
  (output wrong (+ image (filter (kernel (1 1 1)) (border zero 1)))))
