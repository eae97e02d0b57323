; Both Sobel derivatives as one filter, to be optimised together.
; Source: textbook; first half of every gradient-magnitude, Canny or Harris pipeline.
(filter sobel-pair
  (inputs image)
  (output gx (kernel ( 1  0 -1)
                     ( 2  0 -2)
                     ( 1  0 -1)))
  (output gy (kernel ( 1  2  1)
                     ( 0  0  0)
                     (-1 -2 -1))))
