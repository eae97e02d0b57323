; Haar shape 115 of OpenCV's frontal face cascade, 24×4: 4 features.
; Source: corpus/haar/extract.py, from haarcascade_frontalface_default.xml (R. Lienhart).
(filter haar-0115
  (inputs image)
  (output out (kernel (origin 12 2)
                      ( 1  1  1  1  1  1  1  1  1  1  1  1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1)
                      ( 1  1  1  1  1  1  1  1  1  1  1  1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1)
                      (-1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1  1  1  1  1  1  1  1  1  1  1  1  1)
                      (-1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1  1  1  1  1  1  1  1  1  1  1  1  1))))
