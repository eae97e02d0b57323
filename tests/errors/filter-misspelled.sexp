(fitler f (output a (id)))
