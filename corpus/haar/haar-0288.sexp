; Haar shape 288 of OpenCV's frontal face cascade, 20×6: 1 feature.
; Source: corpus/haar/extract.py, from haarcascade_frontalface_default.xml (R. Lienhart).
(filter haar-0288
  (inputs image)
  (output out (kernel (origin 10 3)
                      (-1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1)
                      (-1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1)
                      ( 2  2  2  2  2  2  2  2  2  2  2  2  2  2  2  2  2  2  2  2)
                      ( 2  2  2  2  2  2  2  2  2  2  2  2  2  2  2  2  2  2  2  2)
                      (-1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1)
                      (-1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1))))
