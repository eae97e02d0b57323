; Sharpen: the pixel minus its Laplacian over the four edge neighbours.
; Source: AUKE, table 3.
(filter sharpen
  (inputs image)
  (output out (kernel ( 0 -1  0)
                      (-1  5 -1)
                      ( 0 -1  0))))
