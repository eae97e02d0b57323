(filter f
  (inputs red green blue)
  (output grey (add (from red (id)) (from gren (id)) (from alpha (id)))))
