; The integral map, or summed-area table: each pixel is the sum of all to the north-west of it, its row and column included.
; Source: Convolutional kernel algebra (Stow, Kelly 2022), section on integral maps, the infinite kernel.
(filter integral-map
  (inputs image)
  (output sum (compose (scan west) (scan north))))
