; Gaussian and Laplacian pyramids of five levels. Each level of the first is the one before, smoothed with 1 4 6 4 1 along both
; axes and halved; each of the second is what the next level, doubled and smoothed, leaves of it. The last level is the rest.
; Source: Burt and Adelson, The Laplacian pyramid as a compact image code (1983), with the kernels of OpenCV's pyrDown and pyrUp.
(pipeline pyramid
  (inputs (image uint8))
  (border reflect101)
  (kernel smooth (compose (kernel (1 4 6 4 1)) (kernel (1) (4) (6) (4) (1))))
  ; On pixels that are repeated, 1 3 3 1 is what 1 4 6 4 1 is on pixels with zeros between them.
  (kernel spread (compose (kernel (origin 1 0) (1 3 3 1)) (kernel (origin 0 1) (1) (3) (3) (1))))
  (let gauss-1 (down 2 2 (floor-shift 8 (+ (filter smooth image) 128))))
  (let gauss-2 (down 2 2 (floor-shift 8 (+ (filter smooth gauss-1) 128))))
  (let gauss-3 (down 2 2 (floor-shift 8 (+ (filter smooth gauss-2) 128))))
  (let gauss-4 (down 2 2 (floor-shift 8 (+ (filter smooth gauss-3) 128))))
  (let laplace-0 (- image (floor-shift 6 (+ (filter spread (up 2 2 gauss-1)) 32))))
  (let laplace-1 (- gauss-1 (floor-shift 6 (+ (filter spread (up 2 2 gauss-2)) 32))))
  (let laplace-2 (- gauss-2 (floor-shift 6 (+ (filter spread (up 2 2 gauss-3)) 32))))
  (let laplace-3 (- gauss-3 (floor-shift 6 (+ (filter spread (up 2 2 gauss-4)) 32))))
  (output gauss-1 uint8 (rate 1/2 1/2) gauss-1)
  (output gauss-2 uint8 (rate 1/4 1/4) gauss-2)
  (output gauss-3 uint8 (rate 1/8 1/8) gauss-3)
  (output gauss-4 uint8 (rate 1/16 1/16) gauss-4)
  (output laplace-0 int16 laplace-0)
  (output laplace-1 int16 laplace-1)
  (output laplace-2 int16 laplace-2)
  (output laplace-3 int16 laplace-3))
