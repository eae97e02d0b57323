; A processor with vector instructions and caches that computes images row by row: a loop for each step of the plan computes
; one of its rows, from rows of the image or of earlier steps. Compilers vectorise such loops. rules/ops/target.sexp explains the
; other clauses; here they are the costs of values of 8 bits, and wider values cost in proportion.
;
;   (rows (pass N) (scalar N))   N per pixel for a loop of its own, and for a value that needs the one before it in the row,
;                                so that no loop computes several at a time
;
; The unit is about 1/128 of a cycle per pixel, fitted to loops of box, Gauss, Sobel, dilation and float32 filters on rows of
; 512 pixels, on a processor of 2023 with vectors of 256 bits (docs/scan-order.md).
(stream-machine cpu
  (doc "Time per pixel on a processor with vector instructions")
  (addition 1)
  (multiplication 1)
  (shift 1)
  (load 1)
  (kibibyte 1/20)
  (width 512)
  (input resident)
  (rows (pass 5) (scalar 200)))
