; Values that are read along several paths and meet again, so that each path must wait for the longest.
; Source: Halide-HLS (Pu et al. 2017), its example fanout, where the depths of two queues are given by hand.
(pipeline fanout
  (inputs (image uint8))
  (border replicate)
  (let pair (+ (at image -1 0) image))
  (let next (at image 1 0))
  (output out uint8 (wrap uint8 (+ image (at image 1 0) pair (at pair 1 0) next))))
