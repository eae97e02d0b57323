; Kernel 1 of AnalogNet2 by itself (cnn/analognet2.sexp has all three).
; Source: Cain, table 2: AUKE compiles the three kernels one by one, in 49 instructions together.
(filter cain-analognet2-kernel-1
  (inputs image)
  (output out (scale 1/4 (kernel ( 0  0  0)
                                 (-3  1  0)
                                 (-3  0  2)))))
