(filter f
  (inputs a)
  (inputs b)
  (doc "one")
  (doc "two")
  (output o (id)))
