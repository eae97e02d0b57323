(filter f
  (doc "a text without an end)
  (output a (id)))
