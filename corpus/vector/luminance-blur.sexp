; 3×3 binomial of the luminance of three channels, weighted 5, 9 and 2 sixteenths.
; Source: textbook (weights close to those of BT.601).
(filter luminance-blur
  (inputs red green blue)
  (let blur (scale 1/256 (kernel (1 2 1) (2 4 2) (1 2 1))))
  (output out (add (from red (scale 5 blur))
                   (from green (scale 9 blur))
                   (from blue (scale 2 blur)))))
