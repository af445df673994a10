f()
{
	if (x)
		z();
}
