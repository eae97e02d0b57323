; The convolution layer of AnalogNet2, a CNN that recognises MNIST digits on the chip: three 3×3 kernels of one
; input.
; Source: Wong, Murai, Stow, Saeedi, Kelly 2020, as given in Cain, example 1 and table 2.
; Table 2 prints Cain's program for it: 21 instructions that leave these kernels in A, B and C.
(filter analognet2
  (inputs image)
  (output A (scale 1/4 (kernel ( 0  0  0)
                               (-3  1  0)
                               (-3  0  2))))
  (output B (scale 1/4 (kernel (-4 -1  1)
                               (-1  2  0)
                               ( 1  1  0))))
  (output C (scale 1/4 (kernel (-1  2  0)
                               (-1  1 -3)
                               ( 0 -3  0)))))
