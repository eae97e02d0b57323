(filter f
  (doc "C:\kernels")
  (output a (id)))
