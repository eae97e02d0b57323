(pipeline cycle
  (inputs (image uint8))
  (let own (+ own 1))
  (let first (+ second image))
  (let second (max third 0))
  (let third (neg first))
  (let early (abs late))
  (let late (- image 1))
  (output out (+ early frist)))
