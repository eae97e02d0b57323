; Haar shape 86 of OpenCV's frontal face cascade, 4×14: 3 features.
; Source: corpus/haar/extract.py, from haarcascade_frontalface_default.xml (R. Lienhart).
(filter haar-0086
  (inputs image)
  (output out (kernel (origin 2 7)
                      (-1 -1  1  1)
                      (-1 -1  1  1)
                      (-1 -1  1  1)
                      (-1 -1  1  1)
                      (-1 -1  1  1)
                      (-1 -1  1  1)
                      (-1 -1  1  1)
                      (-1 -1  1  1)
                      (-1 -1  1  1)
                      (-1 -1  1  1)
                      (-1 -1  1  1)
                      (-1 -1  1  1)
                      (-1 -1  1  1)
                      (-1 -1  1  1))))
