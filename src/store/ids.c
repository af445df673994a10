/*
 * ids.c - a part of an id, in the form that queries compare.
 */
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

struct str id_hint(struct str text)
{
	return text.len < ID_DIGITS_MIN ? STR(ID_TOO_SHORT) : STR("");
}

struct str id_short(struct uuid id, struct arena *mem)
{
	char text[UUID_TEXT + 1];

	uuid_text(id, text);
	return arena_copy(mem, str_make(text + UUID_TEXT - ID_DIGITS_SHORT,
					ID_DIGITS_SHORT));
}
