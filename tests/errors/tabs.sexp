(filter f
	(output	a	(kernel	(1 	x	1))))
