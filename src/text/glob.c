#include "text/glob.h"

enum { MOST_STEPS = 100 * 1000, MOST_DEPTH = 64 };

struct matcher {
	unsigned flags;
	unsigned steps;
	const char *start; /* of the pattern */
};

static bool match(struct matcher *m, struct str p, struct str s,
		  unsigned depth);

/* Where the set that starts at p[0] ends: after its "]", or 0. */
static size_t set_end(struct str p)
{
	size_t i = 1;

	if (i < p.len && (p.ptr[i] == '!' || p.ptr[i] == '^'))
		i++;
	if (i < p.len && p.ptr[i] == ']')
		i++;
	for (; i < p.len; i++) {
		if (p.ptr[i] == ']')
			return i + 1;
		if (p.ptr[i] == '\\')
			i++;
	}
	return 0;
}

/* The set is what stands between "[" and "]", both left out. */
static bool in_set(struct str set, unsigned char c)
{
	bool other = set.len && (set.ptr[0] == '!' || set.ptr[0] == '^');
	bool found = false;
	size_t i = other;

	while (i < set.len) {
		unsigned char from, to;

		if (set.ptr[i] == '\\' && i + 1 < set.len)
			i++;
		from = to = (unsigned char)set.ptr[i++];
		if (i + 1 < set.len && set.ptr[i] == '-') {
			to = (unsigned char)set.ptr[i + 1];
			i += 2;
		}
		found = found || (c >= from && c <= to);
	}
	return found != other;
}

static bool match_set(struct matcher *m, struct str p, struct str s,
		      unsigned depth)
{
	size_t end = set_end(p);

	if (!end) /* no set: the bracket stands for itself */
		return s.len && s.ptr[0] == '[' &&
		       match(m, str_skip(p, 1), str_skip(s, 1), depth);
	if (!s.len || s.ptr[0] == '/' ||
	    !in_set(str_sub(p, 1, end - 1), (unsigned char)s.ptr[0]))
		return false;
	return match(m, str_skip(p, end), str_skip(s, 1), depth);
}

/* Try the rest of the pattern at every place that the stars can reach. */
static bool match_rest(struct matcher *m, struct str p, struct str s,
		       bool slashes, unsigned depth)
{
	for (;;) {
		if (match(m, p, s, depth))
			return true;
		if (!s.len || (!slashes && s.ptr[0] == '/'))
			return false;
		s = str_skip(s, 1);
	}
}

/* git: a slash, two stars, a slash: no directory between, or any number. */
static bool match_directories(struct matcher *m, struct str p, struct str s,
			      unsigned depth)
{
	for (;;) {
		if (match(m, p, s, depth))
			return true;
		if (str_find(s, '/') == s.len)
			return false;
		s = str_skip(s, str_find(s, '/') + 1);
	}
}

static bool match_stars(struct matcher *m, struct str p, struct str s,
			unsigned depth)
{
	size_t stars = 0;
	struct str rest;
	bool at_part;

	while (stars < p.len && p.ptr[stars] == '*')
		stars++;
	rest = str_skip(p, stars);
	if (!(m->flags & GLOB_GIT))
		return match_rest(m, rest, s, stars > 1, depth);
	at_part = p.ptr == m->start || p.ptr[-1] == '/';
	if (stars != 2 || !at_part || (rest.len && rest.ptr[0] != '/'))
		return match_rest(m, rest, s, false, depth);
	if (!rest.len)
		return s.len > 0;
	return match_directories(m, str_skip(rest, 1), s, depth);
}

/* Where the brace that opens at p[0] closes, or 0. */
static size_t brace_end(struct str p)
{
	unsigned depth = 0;

	for (size_t i = 0; i < p.len; i++) {
		if (p.ptr[i] == '\\')
			i++;
		else if (p.ptr[i] == '{')
			depth++;
		else if (p.ptr[i] == '}' && !--depth)
			return i;
	}
	return 0;
}

static bool read_number(struct str s, long *ret)
{
	bool minus = s.len && s.ptr[0] == '-';
	long n = 0;

	s = str_skip(s, minus);
	if (!s.len || s.len > 9)
		return false;
	for (size_t i = 0; i < s.len; i++) {
		if (s.ptr[i] < '0' || s.ptr[i] > '9')
			return false;
		n = n * 10 + (s.ptr[i] - '0');
	}
	*ret = minus ? -n : n;
	return true;
}

/* "3..7" inside braces; false when it is no range. */
static bool read_range(struct str in, long *from, long *to)
{
	size_t dot = str_find(in, '.');

	return dot + 1 < in.len && in.ptr[dot + 1] == '.' &&
	       read_number(str_head(in, dot), from) &&
	       read_number(str_skip(in, dot + 2), to);
}

static bool match_range(struct matcher *m, long from, long to, struct str rest,
			struct str s, unsigned depth)
{
	long n;

	for (size_t len = 1; len <= s.len && len <= 10; len++)
		if (read_number(str_head(s, len), &n) && n >= from && n <= to &&
		    match(m, rest, str_skip(s, len), depth))
			return true;
	return false;
}

/* The next of "a,b" at depth 0; false after the last. */
static bool next_choice(struct str *in, struct str *choice)
{
	unsigned depth = 0;
	size_t i = 0;

	if (!in->ptr)
		return false;
	for (; i < in->len; i++) {
		if (in->ptr[i] == '\\')
			i++;
		else if (in->ptr[i] == '{')
			depth++;
		else if (in->ptr[i] == '}')
			depth--;
		else if (in->ptr[i] == ',' && !depth)
			break;
	}
	i = size_min(i, in->len);
	*choice = str_head(*in, i);
	*in = i < in->len ? str_skip(*in, i + 1) : (struct str){ NULL, 0 };
	return true;
}

/* @choice and then @rest, as one pattern. */
static bool match_joined(struct matcher *m, struct str choice, struct str rest,
			 struct str s, unsigned depth)
{
	char joined[1024];

	if (choice.len + rest.len > sizeof(joined))
		return false;
	if (choice.len)
		memcpy(joined, choice.ptr, choice.len);
	if (rest.len)
		memcpy(joined + choice.len, rest.ptr, rest.len);
	return match(m, str_make(joined, choice.len + rest.len), s, depth);
}

static bool match_braces(struct matcher *m, struct str p, struct str s,
			 unsigned depth)
{
	size_t end = brace_end(p);
	struct str in = str_sub(p, 1, end), rest = str_skip(p, end + 1), choice;
	long from, to;

	if (!end) /* it does not close: it stands for itself */
		return s.len && s.ptr[0] == '{' &&
		       match(m, str_skip(p, 1), str_skip(s, 1), depth);
	if (read_range(in, &from, &to))
		return match_range(m, from, to, rest, s, depth);
	while (next_choice(&in, &choice))
		if (match_joined(m, choice, rest, s, depth))
			return true;
	return false;
}

static bool match(struct matcher *m, struct str p, struct str s, unsigned depth)
{
	if (depth > MOST_DEPTH)
		return false;
	while (p.len) {
		char c = p.ptr[0];

		if (m->steps++ > MOST_STEPS)
			return false;
		if (c == '*')
			return match_stars(m, p, s, depth + 1);
		if (c == '[')
			return match_set(m, p, s, depth + 1);
		if (c == '{' && (m->flags & GLOB_BRACES))
			return match_braces(m, p, s, depth + 1);
		if (!s.len)
			return false;
		if (c == '\\' && p.len > 1) {
			p = str_skip(p, 1);
			c = p.ptr[0];
		} else if (c == '?' && s.ptr[0] != '/') {
			c = s.ptr[0];
		}
		if (c != s.ptr[0])
			return false;
		p = str_skip(p, 1);
		s = str_skip(s, 1);
	}
	return !s.len;
}

bool glob_match(struct str pattern, struct str path, unsigned flags)
{
	struct matcher m = { .flags = flags, .start = pattern.ptr };

	return match(&m, pattern, path, 0);
}

bool glob_match_file(struct str pattern, struct str path, unsigned flags)
{
	size_t slash = str_find(pattern, '/'), last = str_rfind(path, '/');

	if (slash == pattern.len) {
		if (last < path.len)
			path = str_skip(path, last + 1);
	} else if (slash == 0) {
		pattern = str_skip(pattern, 1);
	}
	return glob_match(pattern, path, flags);
}
