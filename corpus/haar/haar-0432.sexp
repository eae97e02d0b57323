; Haar shape 432 of OpenCV's frontal face cascade, 10×7: 1 feature.
; Source: corpus/haar/extract.py, from haarcascade_frontalface_default.xml (R. Lienhart).
(filter haar-0432
  (inputs image)
  (output out (kernel (origin 5 3)
                      ( 1  1  1  1  1 -1 -1 -1 -1 -1)
                      ( 1  1  1  1  1 -1 -1 -1 -1 -1)
                      ( 1  1  1  1  1 -1 -1 -1 -1 -1)
                      ( 1  1  1  1  1 -1 -1 -1 -1 -1)
                      ( 1  1  1  1  1 -1 -1 -1 -1 -1)
                      ( 1  1  1  1  1 -1 -1 -1 -1 -1)
                      ( 1  1  1  1  1 -1 -1 -1 -1 -1))))
