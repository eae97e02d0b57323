; A two-rectangle Haar feature of the Viola-Jones face detector, moved to the middle of its support: the sum of
; the west half minus the sum of the east half of 6×6 pixels. The pixel itself is column 3, row 3.
; Source: AUKE, section 4.4 and figure 12. The features of the cascade differ in size; this size is ours.
(filter auke-haar-two-rectangles
  (inputs image)
  (output out (kernel (origin 3 3)
                      ( 1  1  1 -1 -1 -1)
                      ( 1  1  1 -1 -1 -1)
                      ( 1  1  1 -1 -1 -1)
                      ( 1  1  1 -1 -1 -1)
                      ( 1  1  1 -1 -1 -1)
                      ( 1  1  1 -1 -1 -1))))
