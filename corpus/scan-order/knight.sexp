; One more move of a knight, over (min +): the least number of moves to every square, from those to its neighbours.
; Source: Convolutional kernel algebra (Stow, Kelly 2022), section on other semirings.
(filter knight
  (semiring min-plus)
  (inputs moves)
  (output next (kernel (. 1 . 1 .)
                       (1 . . . 1)
                       (. . 0 . .)
                       (1 . . . 1)
                       (. 1 . 1 .))))
