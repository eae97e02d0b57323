(pipeline p
  (inputs (a uint8))
  (let s (neg a))
  (let k (clamp -1 2 -9))
  (let h (histogram 2 2 3 (clamp 0 2 a) 1))
  (output q s)
  (output o (gather h 0 0 (clamp -1 2 -7)))
  (output r (gather h 0 0 k)))
