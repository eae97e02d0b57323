; Haar shape 201 of OpenCV's frontal face cascade, 12×7: 1 feature.
; Source: corpus/haar/extract.py, from haarcascade_frontalface_default.xml (R. Lienhart).
(filter haar-0201
  (inputs image)
  (output out (kernel (origin 6 3)
                      ( 1  1  1  1  1  1 -1 -1 -1 -1 -1 -1)
                      ( 1  1  1  1  1  1 -1 -1 -1 -1 -1 -1)
                      ( 1  1  1  1  1  1 -1 -1 -1 -1 -1 -1)
                      ( 1  1  1  1  1  1 -1 -1 -1 -1 -1 -1)
                      ( 1  1  1  1  1  1 -1 -1 -1 -1 -1 -1)
                      ( 1  1  1  1  1  1 -1 -1 -1 -1 -1 -1)
                      ( 1  1  1  1  1  1 -1 -1 -1 -1 -1 -1))))
