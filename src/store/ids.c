/* ids.c - a part of an id, in the form that queries compare. */

#include "store/ids.h"

bool id_digits(struct str text, char to[ID_DIGITS + 1])
{
	static const char hex[] = "0123456789ABCDEF";
	size_t n = 0;

	for (size_t i = 0; i < text.len; i++) {
		int value = hex_digit(text.ptr[i]);

		if (text.ptr[i] == '-')
			continue;
		if (value < 0 || n >= ID_DIGITS)
			return false;
		to[n++] = hex[value];
	}
	to[n] = '\0';
	return n >= ID_DIGITS_MIN;
}
