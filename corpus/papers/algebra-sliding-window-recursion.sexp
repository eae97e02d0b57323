; A row of five ones as the paper writes a sliding window: what was there one pixel to the west, and what enters, less what
; leaves. It denotes the same kernel as papers/algebra-sliding-window.sexp.
; Source: Convolutional kernel algebra (Stow, Kelly 2022), section on sliding windows.
(filter algebra-sliding-window-recursion
  (inputs image)
  (output out (fix window (sub (add (shift -1 0 window) (shift 2 0 (id)))
                               (shift -3 0 (id))))))
