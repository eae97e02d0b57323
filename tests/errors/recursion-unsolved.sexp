(filter f
  (inputs a)
  (output d (from a (fix K (add K (id)))))
  (output e (from a (fix K (add (shift 1 0 K) (shift -1 0 K) (id)))))
  (output g (from a (fix K (add (shift 1 0 (scale 2 K)) (id)))))
  (output h (fix K (add (shift 1 0 K) (id)))))
