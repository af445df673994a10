/*
 * glob.c - glob matching by backtracking, with bounded work.
 *
 * A failed match returns why (enum glob_fit), which tells whether backtracking
 * can help: the last "*" is always enough to go back to, and behind that the
 * last "**". That keeps most patterns linear; the step limit and a shared
 * budget bound the rest.
 */
#include "text/pattern/glob.h"

#include <ctype.h>

/* Limits of one match; stop() is polled every STEPS_PER_POLL steps. */
enum { MAX_STEPS = 1000 * 1000, MAX_DEPTH = 200, STEPS_PER_POLL = 64 * 1024 };

enum glob_fit {
	FITS,
	NOT_HERE, /* an earlier "*" may take more characters */
	NOT_PART, /* only an earlier "**" may help */
	NEVER,    /* backtracking cannot help */
};

struct glob_matcher {
	unsigned flags;
	unsigned steps, max_steps;
	bool gave_up;
	const char *start; /* first character of the pattern */
};

static enum glob_fit match(struct glob_matcher *m, struct str p, struct str s,
			   unsigned depth);

static unsigned char fold_case(unsigned flags, char c)
{
	bool upper = (flags & GLOB_CASELESS) && c >= 'A' && c <= 'Z';

	return (unsigned char)(upper ? c - 'A' + 'a' : c);
}

/* The POSIX classes inside a set: [[:alpha:]]. ASCII only, as in git. */
static bool in_class(struct str name, unsigned char c, bool *ret)
{
	static const struct {
		const char *name;
		int (*is)(int);
	} classes[] = {
		{ "alnum", isalnum }, { "alpha", isalpha },
		{ "blank", isblank }, { "cntrl", iscntrl },
		{ "digit", isdigit }, { "graph", isgraph },
		{ "lower", islower }, { "print", isprint },
		{ "punct", ispunct }, { "space", isspace },
		{ "upper", isupper }, { "xdigit", isxdigit },
	};

	for (size_t i = 0; i < COUNT_OF(classes); i++)
		if (str_is(name, classes[i].name)) {
			*ret = c < 0x80 && classes[i].is(c);
			return true;
		}
	return false;
}

static bool set_char(struct str *p, unsigned char *ret)
{
	if (p->len && p->ptr[0] == '\\')
		*p = str_skip(*p, 1);
	if (!p->len)
		return false;
	*ret = (unsigned char)p->ptr[0];
	*p = str_skip(*p, 1);
	return true;
}

static bool in_range(unsigned flags, unsigned char from, unsigned char to,
		     unsigned char c)
{
	if (c >= from && c <= to)
		return true;
	if (!(flags & GLOB_CASELESS) || c >= 0x80 || !isalpha(c))
		return false;
	c ^= 0x20; /* flip the case */
	return c >= from && c <= to;
}

/*
 * Parse one member of a set from the front of @p: a character, a range or, with
 * GLOB_GIT, a class. False when it is malformed.
 */
static bool set_member(unsigned flags, struct str *p, unsigned char c,
		       bool *found)
{
	struct str name = str_skip(*p, 2);
	unsigned char from, to;
	bool in = false;

	if ((flags & GLOB_GIT) && str_starts(*p, STR("[:"))) {
		name = str_head(name, str_find(name, ']'));
		if (str_ends(name, STR(":"))) {
			*p = str_skip(*p, name.len + 3);
			name.len--;
			if (!in_class(name, c, &in))
				return false;
			*found = *found || in;
			return true;
		}
	}
	if (!set_char(p, &from))
		return false;
	to = from;
	if (p->len > 1 && p->ptr[0] == '-' && p->ptr[1] != ']') {
		*p = str_skip(*p, 1);
		if (!set_char(p, &to))
			return false;
	}
	/* an inverted range as [b-a] contains its first character */
	*found = *found || in_range(flags, from, from, c) ||
		 in_range(flags, from, to, c);
	return true;
}

/*
 * Parse the set at p[0] and test @c. Returns the length of the set with its
 * "]"; 0 when it is not terminated.
 */
static size_t read_set(unsigned flags, struct str p, unsigned char c,
		       bool *ret_in)
{
	struct str at = str_skip(p, 1);
	bool other = at.len && (at.ptr[0] == '!' || at.ptr[0] == '^');
	bool found = false, first = true;

	at = str_skip(at, other);
	for (; first || !at.len || at.ptr[0] != ']'; first = false)
		if (!set_member(flags, &at, c, &found))
			return 0;
	*ret_in = found != other;
	return p.len - at.len + 1;
}

static bool is_literal(char c)
{
	switch (c) {
	case '*':
	case '?':
	case '[':
	case '{':
	case '\\':
		return false;
	default:
		return true;
	}
}

/* A fast check: most positions differ in the first character. */
static bool differs_at_once(const struct glob_matcher *m, struct str p,
			    struct str s)
{
	return p.len && s.len && is_literal(p.ptr[0]) &&
	       fold_case(m->flags, p.ptr[0]) != fold_case(m->flags, s.ptr[0]);
}

/* Try the rest of the pattern at every position that the stars reach. */
static enum glob_fit match_rest(struct glob_matcher *m, struct str p,
				struct str s, bool slashes, unsigned depth)
{
	enum glob_fit fit;

	for (;; m->steps++) {
		fit = differs_at_once(m, p, s) ? NOT_HERE
					       : match(m, p, s, depth);
		if (fit == FITS || fit == NEVER)
			return fit;
		if (fit == NOT_PART && !slashes)
			return fit;
		if (!s.len)
			return NEVER;
		if (!slashes && s.ptr[0] == '/')
			return NOT_PART;
		s = str_skip(s, 1);
	}
}

/* Two stars as a whole component: any number of directories, or none. */
static enum glob_fit match_directories(struct glob_matcher *m, struct str p,
				       struct str s, unsigned depth)
{
	enum glob_fit fit;

	for (;;) {
		fit = match(m, p, s, depth);
		if (fit == FITS || fit == NEVER)
			return fit;
		if (str_find(s, '/') == s.len)
			return NEVER;
		s = str_skip(s, str_find(s, '/') + 1);
	}
}

static enum glob_fit match_stars(struct glob_matcher *m, struct str p,
				 struct str s, unsigned depth)
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
	if (stars < 2 || !at_part)
		return match_rest(m, rest, s, false, depth);
	if (rest.len && rest.ptr[0] == '/')
		return match_directories(m, str_skip(rest, 1), s, depth);
	return match_rest(m, rest, s, !rest.len || str_starts(rest, STR("\\/")),
			  depth);
}

/* The offset of the brace that closes p[0], or 0. */
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

static bool read_long(struct str s, long *ret)
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

/* Parse "3..7" inside braces; false when it is not a range. */
static bool read_range(struct str in, long *from, long *to)
{
	size_t dot = str_find(in, '.');

	return dot + 1 < in.len && in.ptr[dot + 1] == '.' &&
	       read_long(str_head(in, dot), from) &&
	       read_long(str_skip(in, dot + 2), to);
}

static enum glob_fit match_range(struct glob_matcher *m, long from, long to,
				 struct str rest, struct str s, unsigned depth)
{
	long n;

	for (size_t len = 1; len <= s.len && len <= 10; len++)
		if (read_long(str_head(s, len), &n) && n >= from && n <= to &&
		    match(m, rest, str_skip(s, len), depth) == FITS)
			return FITS;
	return NOT_HERE;
}

/*
 * The next alternative of "a,b", nested braces skipped; false after the last.
 */
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

/*
 * Match @choice followed by @rest as one pattern. @before, the character in front
 * of the braces, tells match_stars() whether a component starts there.
 */
static enum glob_fit match_joined(struct glob_matcher *m, char before,
				  struct str choice, struct str rest,
				  struct str s, unsigned depth)
{
	char joined[1 + 1024];

	if (choice.len + rest.len > sizeof(joined) - 1)
		return NOT_HERE;
	joined[0] = before;
	if (choice.len)
		memcpy(joined + 1, choice.ptr, choice.len);
	if (rest.len)
		memcpy(joined + 1 + choice.len, rest.ptr, rest.len);
	return match(m, str_make(joined + 1, choice.len + rest.len), s, depth);
}

/* NEVER of one alternative says nothing about the others. */
static enum glob_fit match_braces(struct glob_matcher *m, struct str p,
				  struct str s, unsigned depth)
{
	size_t end = brace_end(p);
	struct str in = str_sub(p, 1, end), rest = str_skip(p, end + 1), choice;
	const char before = p.ptr == m->start ? '/' : p.ptr[-1];
	long from, to;

	if (!end) /* unterminated: a literal brace */
		return s.len && s.ptr[0] == '{'
			       ? match(m, str_skip(p, 1), str_skip(s, 1), depth)
			       : NOT_HERE;
	if (read_range(in, &from, &to))
		return match_range(m, from, to, rest, s, depth);
	while (next_choice(&in, &choice))
		if (match_joined(m, before, choice, rest, s, depth) == FITS)
			return FITS;
	return NOT_HERE;
}

/* Match one character or set of the pattern, and step over it. */
static enum glob_fit match_one(struct glob_matcher *m, struct str *p, char s)
{
	bool git = m->flags & GLOB_GIT, in = false;
	char c = p->ptr[0];
	size_t end = 1;

	if (c == '[') {
		end = read_set(m->flags, *p, (unsigned char)s, &in);
		if (!end && git)
			return NEVER; /* without GLOB_GIT it is a literal bracket */
		in = end ? in && s != '/' : s == '[';
		end = end ? end : 1;
	} else if (c == '?') {
		in = s != '/';
	} else if (c == '\\' && (p->len > 1 || git)) {
		end = 2;
		in = p->len > 1 &&
		     fold_case(m->flags, p->ptr[1]) == fold_case(m->flags, s);
	} else {
		in = fold_case(m->flags, c) == fold_case(m->flags, s);
	}
	*p = str_skip(*p, end);
	return in ? FITS : NOT_HERE;
}

static enum glob_fit match(struct glob_matcher *m, struct str p, struct str s,
			   unsigned depth)
{
	enum glob_fit fit;

	m->gave_up = m->gave_up || depth > MAX_DEPTH;
	while (p.len) {
		m->gave_up = m->gave_up || m->steps++ > m->max_steps;
		if (m->gave_up)
			return NEVER;
		if (p.ptr[0] == '*')
			return match_stars(m, p, s, depth + 1);
		if (p.ptr[0] == '{' && (m->flags & GLOB_BRACES))
			return match_braces(m, p, s, depth + 1);
		if (!s.len)
			return NEVER;
		fit = match_one(m, &p, s.ptr[0]);
		if (fit != FITS)
			return fit;
		s = str_skip(s, 1);
	}
	return s.len ? NOT_HERE : FITS;
}

bool glob_spend(struct glob_budget *e, uint64_t n)
{
	uint64_t before = e->steps / STEPS_PER_POLL;

	if (n > e->steps)
		e->exhausted = true;
	e->steps -= n > e->steps ? e->steps : n;
	if (e->stop && before != e->steps / STEPS_PER_POLL && e->stop(e->ctx))
		e->exhausted = true;
	return !e->exhausted;
}

bool glob_match_within(struct str pattern, struct str path, unsigned flags,
		       struct glob_budget *budget)
{
	struct glob_matcher m = { .flags = flags,
				  .max_steps = MAX_STEPS,
				  .start = pattern.ptr };
	bool fits;

	if (budget && budget->steps < MAX_STEPS)
		m.max_steps = (unsigned)budget->steps;
	fits = match(&m, pattern, path, 0) == FITS;
	if (budget && (!glob_spend(budget, m.steps) || m.gave_up))
		budget->exhausted = true;
	return fits || (m.gave_up && (flags & GLOB_FAIL_CLOSED));
}

bool glob_match(struct str pattern, struct str path, unsigned flags)
{
	return glob_match_within(pattern, path, flags, NULL);
}

bool glob_match_file(struct str pattern, struct str path, unsigned flags,
		     struct glob_budget *budget)
{
	size_t slash = str_find(pattern, '/'), last = str_rfind(path, '/');

	if (slash == pattern.len) {
		if (last < path.len)
			path = str_skip(path, last + 1);
	} else if (slash == 0) {
		pattern = str_skip(pattern, 1);
	}
	return glob_match_within(pattern, path, flags, budget);
}
