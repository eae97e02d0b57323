; Haar shape 547 of OpenCV's frontal face cascade, 10×9: 1 feature.
; Source: corpus/haar/extract.py, from haarcascade_frontalface_default.xml (R. Lienhart).
(filter haar-0547
  (inputs image)
  (output out (kernel (origin 5 4)
                      (-1 -1 -1 -1 -1  1  1  1  1  1)
                      (-1 -1 -1 -1 -1  1  1  1  1  1)
                      (-1 -1 -1 -1 -1  1  1  1  1  1)
                      (-1 -1 -1 -1 -1  1  1  1  1  1)
                      (-1 -1 -1 -1 -1  1  1  1  1  1)
                      (-1 -1 -1 -1 -1  1  1  1  1  1)
                      (-1 -1 -1 -1 -1  1  1  1  1  1)
                      (-1 -1 -1 -1 -1  1  1  1  1  1)
                      (-1 -1 -1 -1 -1  1  1  1  1  1))))
