; Haar shape 345 of OpenCV's frontal face cascade, 16×6: 5 features.
; Source: corpus/haar/extract.py, from haarcascade_frontalface_default.xml (R. Lienhart).
(filter haar-0345
  (inputs image)
  (output out (kernel (origin 8 3)
                      (-1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1)
                      (-1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1)
                      ( 2  2  2  2  2  2  2  2  2  2  2  2  2  2  2  2)
                      ( 2  2  2  2  2  2  2  2  2  2  2  2  2  2  2  2)
                      (-1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1)
                      (-1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1))))
