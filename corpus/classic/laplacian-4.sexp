; Laplacian over the four edge neighbours.
; Source: AUKE, table 3.
(filter laplacian-4
  (inputs image)
  (output out (kernel ( 0  1  0)
                      ( 1 -4  1)
                      ( 0  1  0))))
