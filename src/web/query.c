/*
 * query.c - parse the query string of a URL. Pure.
 */
#include "web/query.h"

static bool param_find(struct str query, const char *name, struct str *ret)
{
	struct str part;

	while (str_split(&query, '&', &part)) {
		size_t equals = str_find(part, '=');

		if (!str_is(str_head(part, equals), name))
			continue;
		*ret = str_skip(part, equals + 1);
		return true;
	}
	return false;
}

static struct str percent_decode(struct str text, struct arena *mem)
{
	char *to = arena_alloc(mem, text.len + 1);
	size_t n = 0;

	for (size_t i = 0; i < text.len; i++) {
		char c = text.ptr[i];

		if (c == '%' && i + 2 < text.len &&
		    hex_digit(text.ptr[i + 1]) >= 0 &&
		    hex_digit(text.ptr[i + 2]) >= 0) {
			c = (char)(hex_digit(text.ptr[i + 1]) * 16 +
				   hex_digit(text.ptr[i + 2]));
			i += 2;
		} else if (c == '+') {
			c = ' ';
		}
		to[n++] = c;
	}
	return str_make(to, n);
}

struct str query_text(struct str query, const char *name, struct arena *mem)
{
	struct str found;

	return param_find(query, name, &found) ? percent_decode(found, mem)
					       : STR("");
}

bool query_digits(struct str text, uint64_t *ret)
{
	enum { MOST_DIGITS = 18 };
	uint64_t n = 0;

	if (!text.len || text.len > MOST_DIGITS)
		return false;
	for (size_t i = 0; i < text.len; i++) {
		if (text.ptr[i] < '0' || text.ptr[i] > '9')
			return false;
		n = n * 10 + (uint64_t)(text.ptr[i] - '0');
	}
	*ret = n;
	return true;
}

bool query_number(struct str query, const char *name, uint64_t standard,
		  uint64_t most, uint64_t *ret)
{
	struct str found;

	*ret = standard;
	if (!param_find(query, name, &found) || !found.len)
		return true;
	return query_digits(found, ret) && *ret <= most;
}
