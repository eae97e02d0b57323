; Stereo by block matching: for each pixel of the right image the disparity, 0 to 63 beyond an offset of 20, for which the
; sum of absolute differences over 8×8 pixels is least, scaled to 0 to 251.
; Source: Halide-HLS (Pu et al. 2017), table 1: stereo.
(pipeline stereo
  (inputs (left uint8) (right uint8))
  (border replicate)
  (output out uint8
    (quotient (* 255 (fold argmin (d 0 64)
                       (filter (kernel (origin 4 0) (1 1 1 1 1 1 1 1))
                               (filter (kernel (origin 0 4) (1) (1) (1) (1) (1) (1) (1) (1))
                                       (absdiff right (at left (+ d 20) 0))))))
              64)))
