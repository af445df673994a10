int main(void)
{
	if (argc > 1) {
		puts("hello");
	}
	return 0;
}
