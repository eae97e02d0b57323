; The eight neighbours of a cell on a torus of 64 × 48 cells: what crosses an edge comes back on the other side.
; Source: J. H. Conway's game of life, as usually played on a finite board.
(filter life-neighbours
  (space torus 64 48)
  (inputs cells)
  (output neighbours (kernel (1 1 1)
                             (1 . 1)
                             (1 1 1))))
