/*
 * str.h - string views.
 *
 * A struct str is a pointer and a length, passed by value. It is not terminated
 * and may contain NUL bytes. It does not own its bytes; mostly they live in the
 * arena of the call.
 */
#ifndef STET_STR_H
#define STET_STR_H

#include "base/base.h"

#include <string.h>

struct str {
	const char *ptr;
	size_t len;
};

/* A literal as a view: for an initialiser, and as an expression. */
#define STR_INIT(lit)                   \
	{                               \
		"" lit, sizeof(lit) - 1 \
	}
#define STR(lit) ((struct str)STR_INIT(lit))

/* For printf(): "%.*s" of a view, truncated to 4096 bytes. */
#define STR_FMT    "%.*s"
#define STR_ARG(s) (int)size_min((s).len, 4096), (s).len ? (s).ptr : ""

static inline struct str str_make(const char *ptr, size_t len)
{
	return (struct str){ ptr, len };
}

/* The value of a hexadecimal digit of either case, or -1. */
static inline int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c = (char)(c | 0x20);
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* A view of a C string; NULL gives an empty one. */
static inline struct str str_of(const char *c)
{
	return (struct str){ c, c ? strlen(c) : 0 };
}

static inline bool str_eq(struct str a, struct str b)
{
	return a.len == b.len && (!a.len || !memcmp(a.ptr, b.ptr, a.len));
}

static inline bool str_is(struct str s, const char *c)
{
	return str_eq(s, str_of(c));
}

static inline bool str_starts(struct str s, struct str with)
{
	return s.len >= with.len &&
	       (!with.len || !memcmp(s.ptr, with.ptr, with.len));
}

static inline bool str_ends(struct str s, struct str with)
{
	return s.len >= with.len &&
	       (!with.len ||
		!memcmp(s.ptr + s.len - with.len, with.ptr, with.len));
}

/* @s without its first @n bytes (empty if it has fewer). */
static inline struct str str_skip(struct str s, size_t n)
{
	n = size_min(n, s.len);
	return (struct str){ n ? s.ptr + n : s.ptr, s.len - n };
}

/* At most the first @n bytes of @s. */
static inline struct str str_head(struct str s, size_t n)
{
	return (struct str){ s.ptr, size_min(n, s.len) };
}

static inline struct str str_sub(struct str s, size_t from, size_t to)
{
	return str_head(str_skip(s, from), to > from ? to - from : 0);
}

/* Offset of the first @c in @s, or s.len. */
size_t str_find(struct str s, char c);

/* Offset of the last @c in @s, or s.len. */
size_t str_rfind(struct str s, char c);

/*
 * Take the part before the next @sep, and the separator, off the front of
 * @rest. False when @rest is used up; "a,,b" gives three parts.
 */
bool str_split(struct str *rest, char sep, struct str *part);

/*
 * The Damerau-Levenshtein distance of @a and @b (insertions, deletions, changes
 * and swaps of adjacent bytes); more than @most is returned as @most + 1. For
 * "did you mean"; names over 64 bytes are never similar.
 */
size_t str_distance(struct str a, struct str b, size_t most);

#endif
