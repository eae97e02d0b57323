(filter f
  (inputs 1 02 -3 _)
  (combine _ (output 3 (from 1 (id))))
  (combine (output 03 (from 1 (id))) (output _ (from 1 _)))
  (output 4 (from 7 (id))))
