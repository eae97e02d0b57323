(filter f
  (let state (combine (output A (id)) (output B (shift 1 0 (id)))))
  (output a (compose (from A (id)) (|> state (kernel (1 . +))))))
