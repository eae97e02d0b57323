; Haar shape 460 of OpenCV's frontal face cascade, 13×9: 5 features.
; Source: corpus/haar/extract.py, from haarcascade_frontalface_default.xml (R. Lienhart).
(filter haar-0460
  (inputs image)
  (output out (kernel (origin 6 4)
                      (-1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1)
                      (-1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1)
                      (-1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1)
                      ( 2  2  2  2  2  2  2  2  2  2  2  2  2)
                      ( 2  2  2  2  2  2  2  2  2  2  2  2  2)
                      ( 2  2  2  2  2  2  2  2  2  2  2  2  2)
                      (-1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1)
                      (-1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1)
                      (-1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1))))
