; First layer of a network on a colour image: each output sums a kernel over every channel.
; Source: ours; the colour weights are those of a luma in eighths.
(filter rgb-edges
  (inputs red green blue)
  (output luma (add (from red (scale 1/4 (id)))
                    (from green (scale 5/8 (id)))
                    (from blue (scale 1/8 (id)))))
  (output edge (add (from red (scale 1/4 (kernel (1 0 -1))))
                    (from green (scale 5/8 (kernel (1 0 -1))))
                    (from blue (scale 1/8 (kernel (1 0 -1)))))))
