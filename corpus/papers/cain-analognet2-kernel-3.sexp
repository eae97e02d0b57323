; Kernel 3 of AnalogNet2 by itself (cnn/analognet2.sexp has all three).
; Source: Cain, table 2: AUKE compiles the three kernels one by one, in 49 instructions together.
(filter cain-analognet2-kernel-3
  (inputs image)
  (output out (scale 1/4 (kernel (-1  2  0)
                                 (-1  1 -3)
                                 ( 0 -3  0)))))
