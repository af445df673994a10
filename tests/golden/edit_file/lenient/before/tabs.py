def f():
	if a:
		b()
