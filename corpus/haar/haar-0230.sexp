; Haar shape 230 of OpenCV's frontal face cascade, 6×14: 14 features.
; Source: corpus/haar/extract.py, from haarcascade_frontalface_default.xml (R. Lienhart).
(filter haar-0230
  (inputs image)
  (output out (kernel (origin 3 7)
                      ( 1  1  1 -1 -1 -1)
                      ( 1  1  1 -1 -1 -1)
                      ( 1  1  1 -1 -1 -1)
                      ( 1  1  1 -1 -1 -1)
                      ( 1  1  1 -1 -1 -1)
                      ( 1  1  1 -1 -1 -1)
                      ( 1  1  1 -1 -1 -1)
                      (-1 -1 -1  1  1  1)
                      (-1 -1 -1  1  1  1)
                      (-1 -1 -1  1  1  1)
                      (-1 -1 -1  1  1  1)
                      (-1 -1 -1  1  1  1)
                      (-1 -1 -1  1  1  1)
                      (-1 -1 -1  1  1  1))))
