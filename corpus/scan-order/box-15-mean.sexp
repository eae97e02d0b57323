; 15×15 box as a mean: 225 is no power of two, so that every result is divided once.
; Source: textbook; the normalised box filter of image-processing libraries.
(filter box-15-mean
  (inputs image)
  (output out (scale 1/225
    (compose (kernel (1 1 1 1 1 1 1 1 1 1 1 1 1 1 1))
             (kernel (1) (1) (1) (1) (1) (1) (1) (1) (1) (1) (1) (1) (1) (1) (1))))))
