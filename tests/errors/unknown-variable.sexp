(filter f
  (let blur (kernel (1 2 1)))
  (output a blurr)
  (output b later)
  (let later (compose blur blur))
  (output c id)
  (output d (compose 3 later)))
