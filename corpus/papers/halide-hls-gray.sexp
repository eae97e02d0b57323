; Grey value of a colour image: 0.3 red + 0.6 green + 0.1 blue, approximated at depth 3 (AUKE, section 2.1).
; Source: Halide-HLS (Pu et al. 2017), figure 3: gray. Three inputs, one output.
(filter halide-hls-gray
  (inputs red green blue)
  (output out (add (scale 1/4 (from red (id)))
                   (scale 5/8 (from green (id)))
                   (scale 1/8 (from blue (id))))))
