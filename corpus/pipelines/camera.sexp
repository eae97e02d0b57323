; Camera pipeline from the raw samples of a Bayer pattern to colours: hot pixels, edge-directed demosaicing, a colour
; matrix, a tone curve.
; Source: Halide-HLS (Pu et al. 2017), table 1: camera. The steps are those of Halide's camera_pipe; the curve is ours.
(pipeline camera
  (inputs (raw uint10))
  (border reflect101)
  ; Hot pixels: no pixel is beyond those of its colour around it.
  (let a (at raw -2 0)) (let b (at raw 2 0)) (let c (at raw 0 -2)) (let d (at raw 0 2))
  (let clean (clamp (min a b c d) (max a b c d) raw))
  ; The four phases, green beside red, red, blue, green beside blue:  GR R
  ;                                                                    B  GB
  (let gr (phase clean 0 0)) (let rr (phase clean 1 0))
  (let bb (phase clean 0 1)) (let gb (phase clean 1 1))
  ; Green at red and at blue: along the direction in which green changes less.
  (let gr-across (at gr 1 0)) (let gb-above (at gb 0 1))
  (let g-r (select (< (absdiff gr-across gr) (absdiff gb-above gb))
                   (floor-shift 1 (+ gr-across gr 1))
                   (floor-shift 1 (+ gb-above gb 1))))
  (let gb-across (at gb -1 0)) (let gr-below (at gr 0 -1))
  (let g-b (select (< (absdiff gb-across gb) (absdiff gr-below gr))
                   (floor-shift 1 (+ gb-across gb 1))
                   (floor-shift 1 (+ gr-below gr 1))))
  ; Red and blue at green: the mean of two neighbours, corrected by the difference in green.
  (let r-gr (+ (- gr (floor-shift 1 (+ g-r (at g-r -1 0) 1))) (floor-shift 1 (+ (at rr -1 0) rr 1))))
  (let b-gr (+ (- gr (floor-shift 1 (+ g-b (at g-b 0 1) 1))) (floor-shift 1 (+ bb (at bb 0 1) 1))))
  (let r-gb (+ (- gb (floor-shift 1 (+ g-r (at g-r 0 -1) 1))) (floor-shift 1 (+ rr (at rr 0 -1) 1))))
  (let b-gb (+ (- gb (floor-shift 1 (+ g-b (at g-b 1 0) 1))) (floor-shift 1 (+ bb (at bb 1 0) 1))))
  ; Red at blue and blue at red: along the diagonal on which they change less.
  (let r-b (select (< (absdiff rr (at rr -1 -1)) (absdiff (at rr -1 0) (at rr 0 -1)))
                   (+ (- g-b (floor-shift 1 (+ g-r (at g-r -1 -1) 1))) (floor-shift 1 (+ rr (at rr -1 -1) 1)))
                   (+ (- g-b (floor-shift 1 (+ (at g-r -1 0) (at g-r 0 -1) 1)))
                      (floor-shift 1 (+ (at rr -1 0) (at rr 0 -1) 1)))))
  (let b-r (select (< (absdiff bb (at bb 1 1)) (absdiff (at bb 1 0) (at bb 0 1)))
                   (+ (- g-r (floor-shift 1 (+ g-b (at g-b 1 1) 1))) (floor-shift 1 (+ bb (at bb 1 1) 1)))
                   (+ (- g-r (floor-shift 1 (+ (at g-b 1 0) (at g-b 0 1) 1)))
                      (floor-shift 1 (+ (at bb 1 0) (at bb 0 1) 1)))))
  (let r (interleave (r-gr rr) (r-b r-gb)))
  (let g (interleave (gr g-r) (g-b gb)))
  (let b-all (interleave (b-gr b-r) (bb b-gb)))
  ; Colour matrix with eight fractional bits, then a curve: 255 · √((x - 25) / 998).
  (let matrix-r (floor-shift 8 (+ (* 427 r) (* -69 g) (* -103 b-all) -10863)))
  (let matrix-g (floor-shift 8 (+ (* -92 r) (* 272 g) (* 408 b-all) -9502)))
  (let matrix-b (floor-shift 8 (+ (* -56 r) (* -480 g) (* 1783 b-all) -6834)))
  (output red uint8
    (table-of v (floor-shift 5 (sqrt (* 65025 (quotient (* 1024 (max (- v 25) 0)) 998)))) (clamp 0 1023 matrix-r)))
  (output green uint8
    (table-of v (floor-shift 5 (sqrt (* 65025 (quotient (* 1024 (max (- v 25) 0)) 998)))) (clamp 0 1023 matrix-g)))
  (output blue uint8
    (table-of v (floor-shift 5 (sqrt (* 65025 (quotient (* 1024 (max (- v 25) 0)) 998)))) (clamp 0 1023 matrix-b))))
