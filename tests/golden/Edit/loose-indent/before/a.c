f()
{
	if (x)
		y();
}
