; A layer on two feature maps: 3×3 kernels with weights of a quantised network, summed over the maps.
; Source: ours; weights -1, 0 and 1 over 2, as in networks with ternary weights.
(filter feature-maps
  (inputs first second)
  (output out (scale 1/2 (add (from first (kernel ( 1  0 -1)
                                                  ( 1  1  0)
                                                  ( 0 -1  0)))
                              (from second (kernel ( 0  1  1)
                                                   (-1  0  1)
                                                   ( 0 -1 -1)))))))
