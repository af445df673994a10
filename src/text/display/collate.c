/*
 * collate.c - compares names by two levels of weights, as ICU does: first all
 * characters without case; if they are equal, a small letter comes before its
 * capital. Control characters have no weight.
 */
#include "text/display/collate.h"

/* Characters in ascending order, before the digits and letters. */
static const char signs[] = "\t\n\v\f\r _-,;:!?.'\"()[]{}@*/\\&#%`^+<=>|~$";

enum { FIRST_DIGIT = 64, FIRST_LETTER = 80 };

static bool collate_is_ascii(struct str s)
{
	for (size_t i = 0; i < s.len; i++)
		if ((unsigned char)s.ptr[i] >= 0x80)
			return false;
	return true;
}

/* The weight of a character without case; 0 = it is ignored. */
static int primary_weight(char c)
{
	const char *sign;

	if (c >= '0' && c <= '9')
		return FIRST_DIGIT + (c - '0');
	if (c >= 'a' && c <= 'z')
		return FIRST_LETTER + (c - 'a');
	if (c >= 'A' && c <= 'Z')
		return FIRST_LETTER + (c - 'A');
	sign = c ? strchr(signs, c) : NULL;
	return sign ? 1 + (int)(sign - signs) : 0;
}

/* Take the next character that has a weight off the front of @s; or 0. */
static char next_weighty(struct str *s)
{
	char c;

	while (s->len) {
		c = s->ptr[0];
		*s = str_skip(*s, 1);
		if (primary_weight(c))
			return c;
	}
	return 0;
}

static int compare_bytes(struct str a, struct str b)
{
	size_t n = size_min(a.len, b.len);
	int order = n ? memcmp(a.ptr, b.ptr, n) : 0;

	return order ? order : (a.len > b.len) - (a.len < b.len);
}

static int compare_ascii(struct str a, struct str b)
{
	int by_case = 0, order;
	char x, y;

	do {
		x = next_weighty(&a);
		y = next_weighty(&b);
		order = primary_weight(x) - primary_weight(y);
		if (order)
			return order;
		if (!by_case && x != y) /* the small letter comes first */
			by_case = x > y ? -1 : 1;
	} while (x);
	return by_case;
}

int collate_names(struct str a, struct str b)
{
	bool a_ascii = collate_is_ascii(a), b_ascii = collate_is_ascii(b);
	int order;

	if (a_ascii != b_ascii)
		return a_ascii ? -1 : 1;
	order = a_ascii ? compare_ascii(a, b) : 0;
	return order ? order : compare_bytes(a, b);
}
