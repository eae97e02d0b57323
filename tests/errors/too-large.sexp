(filter f
  (output a (add (shift 1000000 0 (id)) (shift 0 1000000 (id)))))
