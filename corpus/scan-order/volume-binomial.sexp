; 3×3×3 binomial: a volume smoothed along all three axes.
; Source: textbook; video denoising and medical images use it.
(filter volume-binomial
  (dimensions 3)
  (inputs image)
  (let along-x (kernel (1 2 1)))
  (let along-y (kernel (1) (2) (1)))
  (let along-z (add (shift 0 0 -1 (id)) (scale 2 (id)) (shift 0 0 1 (id))))
  (output out (scale 1/64 (compose along-x along-y along-z))))
