; The smallest smoothing kernel on hexagons, a product of three pairs: east, north-east and north-west.
; Source: Convolutional kernel algebra (Stow, Kelly 2022), on index spaces other than grids; the product is made up here.
(filter hexagon-binomial
  (space hexagonal)
  (inputs image)
  (output out (scale 1/8 (kernel (hexagon (1 1)
                                          (1 2 1)
                                          (1 1))))))
