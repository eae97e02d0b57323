; 3×3 mean as two passes, thirds along y and then along x. Thirds are exact only where a value is split three
; ways.
; Source: Halide-HLS (Pu et al. 2017), section 2 and figure 3: blury and blurx.
(filter halide-hls-blur
  (inputs image)
  (output out (compose (scale 1/3 (kernel (1 1 1)))
                       (scale 1/3 (kernel (1)
                                          (1)
                                          (1))))))
