(filter f
  (inputs image)
  (let k (kernel (1 2 1))))
