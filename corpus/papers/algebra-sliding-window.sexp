; A row of five ones as a sliding window: what enters minus what leaves, summed along x for ever.
; (x^-2 - x^3) / (1 - x) = x^-2 + x^-1 + 1 + x + x^2: the infinite parts cancel exactly.
; Source: Convolutional kernel algebra (Stow, Kelly 2022), section on sliding windows.
(filter algebra-sliding-window
  (inputs image)
  (output out (compose (sub (shift -2 0 (id)) (shift 3 0 (id)))
                       (scan x))))
