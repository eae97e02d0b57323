; A layer of a neural network: 3×3 kernels from three channels to two, a bias, a rescaling, ReLU, and the maxima of 2×2 pixels.
; Source: the layer of simpleCNN of Halide-HLS (Pu et al. 2017), with fewer outputs; the weights are ours.
(pipeline convolution-layer
  (inputs (red uint8) (green uint8) (blue uint8))
  (border zero)
  (let first
    (filter (add (from red (kernel (23 -41 7) (88 12 -63) (-5 37 -19)))
                 (from green (kernel (-14 52 31) (-77 64 9) (18 -2 -46)))
                 (from blue (kernel (61 -8 -33) (4 -90 27) (11 45 -3))))
            red green blue))
  (let second
    (filter (add (from red (kernel (-9 16 -58) (71 -24 33) (2 -49 12)))
                 (from green (kernel (44 -3 -17) (26 -81 50) (-38 7 29)))
                 (from blue (kernel (-66 21 5) (13 57 -42) (34 -11 -28))))
            red green blue))
  (let scaled-first (clamp 0 127 (floor-shift 7 (+ first 1500))))
  (let scaled-second (clamp 0 127 (floor-shift 7 (- second 700))))
  (output first int8 (rate 1/2 1/2)
    (max (phase scaled-first 0 0) (phase scaled-first 1 0) (phase scaled-first 0 1) (phase scaled-first 1 1)))
  (output second int8 (rate 1/2 1/2)
    (max (phase scaled-second 0 0) (phase scaled-second 1 0) (phase scaled-second 0 1) (phase scaled-second 1 1))))
