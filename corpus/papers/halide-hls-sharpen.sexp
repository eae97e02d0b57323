; The linear part of the unsharp mask: twice the pixel minus the 3×3 mean.
; Source: Halide-HLS (Pu et al. 2017), figure 3: sharpen. The paper's unsharp then divides by the pixel.
(filter halide-hls-sharpen
  (inputs image)
  (output out (sub (scale 2 (id))
                   (scale 1/9 (kernel (1 1 1)
                                      (1 1 1)
                                      (1 1 1))))))
