(filter f
  (let big (scale 9223372036854775807 (id)))
  (output a (id))
  (output b (add big big))
  (output c (compose big
                     (shift 1 0 big))))
