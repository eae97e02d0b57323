; Bilateral filter of 5×5 pixels: each neighbour counts by its distance (64 · exp(-d² / 4.5)) and by its difference in grey
; value (255 · exp(-e² / 1152)), both in tables. Its own pixel always counts, so the divisor is not zero.
; Source: Tomasi and Manduchi, Bilateral filtering for gray and color images (1998).
(pipeline bilateral
  (inputs (image uint8))
  (border replicate)
  (let weights
    (fold add (i -2 3) (j -2 3)
      (* (table (64 51 41 33 26 21 17 14 11) (+ (* i i) (* j j)))
         (table (255 255 254 253 251 250 247 244 241 238 234 230 225 220 215 210 204 198 192 186 180 174 168 161 155 148 142 135 129 123 117 111
                 105 99 93 88 83 78 73 68 64 59 55 51 47 44 41 37 35 32 29 27 24 22 20 18 17 15 14 12 11 10 9 8
                 7 7 6 5 5 4 4 3 3 2 2 2 2 1 1 1 1 1 1 1 1 0 0 0 0 0 0 0 0 0 0 0
                 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0
                 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0
                 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0
                 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0
                 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0)
                (absdiff image (at image i j))))))
  (let weighed
    (fold add (i -2 3) (j -2 3)
      (* (at image i j)
         (table (64 51 41 33 26 21 17 14 11) (+ (* i i) (* j j)))
         (table (255 255 254 253 251 250 247 244 241 238 234 230 225 220 215 210 204 198 192 186 180 174 168 161 155 148 142 135 129 123 117 111
                 105 99 93 88 83 78 73 68 64 59 55 51 47 44 41 37 35 32 29 27 24 22 20 18 17 15 14 12 11 10 9 8
                 7 7 6 5 5 4 4 3 3 2 2 2 2 1 1 1 1 1 1 1 1 0 0 0 0 0 0 0 0 0 0 0
                 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0
                 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0
                 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0
                 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0
                 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0)
                (absdiff image (at image i j))))))
  (output out uint8 (clamp 0 255 (quotient (+ weighed (floor-shift 1 weights)) (max weights 1)))))
