#include "store/ids.h"

bool id_range(struct str digits, struct uuid *low, struct uuid *high)
{
	size_t n = 0;

	memset(low->bytes, 0x00, sizeof(low->bytes));
	memset(high->bytes, 0xff, sizeof(high->bytes));
	for (size_t i = 0; i < digits.len; i++) {
		int value = hex_digit(digits.ptr[i]);
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
