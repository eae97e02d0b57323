; Local contrast: each pixel by the mean and the standard deviation of the 7×7 pixels around it.
; Source: local normalisation as in Jarrett et al., What is the best multi-stage architecture for object recognition? (2009).
(pipeline local-contrast
  (inputs (image uint8))
  (border reflect101)
  (kernel box (compose (kernel (1 1 1 1 1 1 1)) (kernel (1) (1) (1) (1) (1) (1) (1))))
  (let sum (filter box image))
  (let squares (filter box (* image image)))
  ; 49² times the variance, which is not negative whatever its interval says.
  (let variance (max 0 (- (* 49 squares) (* sum sum))))
  (let deviation (sqrt variance))
  (output out uint8 (clamp 0 255 (+ 128 (quotient (* 64 (- (* 49 image) sum)) (+ deviation 98))))))
