(pipeline without-outputs
  (inputs (image uint8))
  (let twice (* 2 image)))
