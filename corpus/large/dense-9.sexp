; 9×9 without structure: coefficients k/16, k random in -7..7, the middle one 7.
; Source: ours; `randint(-7, 7)` of Python's `random.Random(9)`, row by row.
(filter dense-9
  (inputs image)
  (output out (scale 1/16 (kernel ( 0  2 -2 -3 -5 -5  6  3 -7)
                                  (-2  1  0  7  2 -6 -2  1  7)
                                  ( 2  4 -7  4 -1 -5  4  0  4)
                                  (-1 -5 -5 -4 -7 -6 -5  1  6)
                                  ( 7  2 -6  5  7 -1  5  4  7)
                                  (-6  7 -3 -4  3 -4  4  5 -1)
                                  ( 7 -6  5 -3  7 -4 -1 -3 -2)
                                  ( 5 -7 -4  4  7 -7  7 -1 -7)
                                  ( 7 -1  6  0 -5 -7 -4 -1  4)))))
