(filter f
  (inputs 1 2)
  (output 4 (from 7 (id)))
  (output 5 (compose (from 3 (id)) (combine (output 3 (from 1 (id))) _)))
  (output 6 (compose (from 8 (id)) (combine (output 3 (from 1 (id))) _))))
