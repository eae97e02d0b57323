(pipeline without-inputs
  (output out 1))
