; 11×11 without structure: coefficients k/16, k random in -7..7, the middle one 7.
; Source: ours; `randint(-7, 7)` of Python's `random.Random(11)`, row by row.
(filter dense-11
  (inputs image)
  (output out (scale 1/16 (kernel ( 0  6  1  6  7  5  0  0  1  6  2)
                                  (-4 -5  5  1  0  3  2  5 -5 -6  0)
                                  (-3 -5 -6  1  5  7  4  3 -7  2 -1)
                                  ( 0  3  4  2  3 -5  2 -7  6  1 -6)
                                  (-7 -7 -4  7 -4  2 -7  5  0 -2  0)
                                  ( 2  6 -4  1 -4  7 -3  0 -7  3 -6)
                                  ( 0  3 -3 -1  1  7  6 -6  4 -3 -2)
                                  ( 5 -4  1 -3 -7 -6  2  5 -6 -1 -6)
                                  ( 6 -3 -1 -6 -7  6  3 -7 -4 -4  7)
                                  ( 7 -7  0 -1  4 -1 -1 -6  2  3 -4)
                                  ( 5  3 -3 -2 -6 -3 -2 -7 -1  5  7)))))
