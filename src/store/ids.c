#include "store/ids.h"

static int digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c = (char)(c | 0x20);
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

bool id_range(struct str digits, struct uuid *low, struct uuid *high)
{
	size_t n = 0;

	memset(low->bytes, 0x00, sizeof(low->bytes));
	memset(high->bytes, 0xff, sizeof(high->bytes));
	for (size_t i = 0; i < digits.len; i++) {
		int value = digit(digits.ptr[i]);
		unsigned shift = n % 2 ? 0 : 4;

		if (digits.ptr[i] == '-')
			continue;
		if (value < 0 || n >= 2 * sizeof(low->bytes))
			return false;
		low->bytes[n / 2] |= (uint8_t)(value << shift);
		high->bytes[n / 2] &= (uint8_t) ~((15 - value) << shift);
		n++;
	}
	return n >= ID_DIGITS_MIN;
}
