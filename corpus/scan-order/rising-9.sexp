; Mean of nine pixels on a rising diagonal: motion towards the north-east.
; Source: textbook; the falling one is `classic/motion-blur.sexp`.
(filter rising-9
  (inputs image)
  (output out (scale 1/9 (kernel (. . . . . . . . 1)
                                 (. . . . . . . 1 .)
                                 (. . . . . . 1 . .)
                                 (. . . . . 1 . . .)
                                 (. . . . 1 . . . .)
                                 (. . . 1 . . . . .)
                                 (. . 1 . . . . . .)
                                 (. 1 . . . . . . .)
                                 (1 . . . . . . . .)))))
