def f():
	if a:
		b()
		c()
