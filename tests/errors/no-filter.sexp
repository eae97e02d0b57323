(kernel (1 2 1))
