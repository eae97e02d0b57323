; Haar shape 403 of OpenCV's frontal face cascade, 22×6: 2 features.
; Source: corpus/haar/extract.py, from haarcascade_frontalface_default.xml (R. Lienhart).
(filter haar-0403
  (inputs image)
  (output out (kernel (origin 11 3)
                      (-1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1)
                      (-1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1)
                      ( 2  2  2  2  2  2  2  2  2  2  2  2  2  2  2  2  2  2  2  2  2  2)
                      ( 2  2  2  2  2  2  2  2  2  2  2  2  2  2  2  2  2  2  2  2  2  2)
                      (-1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1)
                      (-1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1))))
