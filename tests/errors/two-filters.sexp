(filter f (output a (id)))
(filter g (output a (id)))
