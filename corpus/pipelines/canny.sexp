; Canny edges without hysteresis: smoothing, gradients, thinning to the maxima across the edge, and two thresholds: 255 for
; strong edges, 128 for weak ones.
; Source: Canny, A computational approach to edge detection (1986); the sectors of directions are those of OpenCV, by
; tan 22.5° = 13573 / 2^15.
(pipeline canny
  (inputs (image uint8))
  (border replicate)
  (let smooth (floor-shift 8 (+ (filter (compose (kernel (1 4 6 4 1)) (kernel (1) (4) (6) (4) (1))) image) 128)))
  (let gx (filter (kernel (-1 0 1) (-2 0 2) (-1 0 1)) smooth))
  (let gy (filter (kernel (-1 -2 -1) (0 0 0) (1 2 1)) smooth))
  (let ax (abs gx))
  (let ay (abs gy))
  (let size (+ ax ay))
  (let across (* 13573 ax))
  (let level (< (shift-left 15 ay) across))
  (let steep (> (shift-left 15 ay) (+ across (shift-left 16 ax))))
  (let falling (>= (* gx gy) 0))
  (let thin
    (select level (and (> size (at size -1 0)) (>= size (at size 1 0)))
    (select steep (and (> size (at size 0 1)) (>= size (at size 0 -1)))
    (select falling (and (> size (at size -1 1)) (> size (at size 1 -1)))
                    (and (> size (at size 1 1)) (> size (at size -1 -1)))))))
  (output out uint8 (select (and thin (> size 40)) (select (> size 120) 255 128) 0)))
