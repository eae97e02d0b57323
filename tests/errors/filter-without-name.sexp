(filter (inputs image) (output a (id)))
