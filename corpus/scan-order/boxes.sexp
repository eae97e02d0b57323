; Boxes of four sizes of one image: they can share an integral image.
; Source: F. C. Crow, "Summed-area tables for texture mapping" (SIGGRAPH 1984): areas of any size from one table.
(filter boxes
  (inputs image)
  (let row-5 (kernel (1 1 1 1 1)))
  (let row-9 (kernel (1 1 1 1 1 1 1 1 1)))
  (let row-13 (kernel (1 1 1 1 1 1 1 1 1 1 1 1 1)))
  (let row-17 (kernel (1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1)))
  (output box-5 (compose row-5 (kernel (1) (1) (1) (1) (1))))
  (output box-9 (compose row-9 (kernel (1) (1) (1) (1) (1) (1) (1) (1) (1))))
  (output box-13 (compose row-13 (kernel (1) (1) (1) (1) (1) (1) (1) (1) (1) (1) (1) (1) (1))))
  (output box-17 (compose row-17 (kernel (1) (1) (1) (1) (1) (1) (1) (1) (1) (1) (1) (1) (1) (1) (1) (1) (1)))))
