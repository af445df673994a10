/*
 * str.h - views: bytes that belong to somebody else.
 *
 * A struct str is a pointer and a length. It is not terminated, may hold NUL
 * bytes, and is passed by value. Whoever made the bytes says how long they
 * live; mostly that is the arena of the call.
 */
#ifndef STET_STR_H
#define STET_STR_H

#include "base/base.h"

#include <string.h>

struct str {
	const char *ptr;
	size_t len;
};

/* A literal as a view; as an initialiser, and as an expression. */
#define STR_INIT(lit)                   \
	{                               \
		"" lit, sizeof(lit) - 1 \
	}
#define STR(lit) ((struct str)STR_INIT(lit))

/* For printf: "%.*s" of a view; what is past 4096 bytes is not shown. */
#define STR_FMT    "%.*s"
#define STR_ARG(s) (int)size_min((s).len, 4096), (s).len ? (s).ptr : ""

static inline struct str str_make(const char *ptr, size_t len)
{
	return (struct str){ ptr, len };
}

/* What the digit stands for, or -1; letters of either case. */
static inline int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c = (char)(c | 0x20);
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* The view of a C string; of NULL, the empty one. */
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

/* What is left of @s after its first @n bytes (all of them if it has fewer). */
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
 * Take what stands before the next @sep off the front of @rest, and the
 * separator with it. False when @rest is used up; "a,,b" gives three parts.
 */
bool str_split(struct str *rest, char sep, struct str *part);

/*
 * How many single-byte insertions, deletions and changes lead from @a to @b,
 * swaps of neighbours counted once; more than @most is answered as @most + 1.
 * For "did you mean"; names longer than 64 bytes are never near.
 */
size_t str_distance(struct str a, struct str b, size_t most);

#endif
