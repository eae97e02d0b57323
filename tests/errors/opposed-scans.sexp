(filter f
  (output a (compose (scan east) (scan west))))
