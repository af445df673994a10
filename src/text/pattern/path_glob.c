/*
 * path_glob.c - parses a glob into components, and matches paths with them.
 *
 * A choice (one brace expansion) is a list of components. Matching keeps the
 * set of path components that the pattern has reached so far, so that "**"
 * costs one pass and not a search.
 */
#include "text/pattern/path_glob.h"

#include "text/encoding/utf8.h"
#include "text/pattern/brace.h"

#include <ctype.h>

enum {
	MAX_PATTERN = 10000, /* bytes */
	MAX_CHOICES = 1000,
	MAX_DEPTH = 512, /* components of a path */
};

struct path_glob_choice {
	const struct str *part; /* components */
	size_t count;
};

/* The components of a path. */
struct path_parts {
	struct str part[MAX_DEPTH];
	size_t count;
};

/* ---- one component */

static bool class_has(struct str name, uint32_t c, bool *known)
{
	static const struct {
		const char *name;
		int (*is)(int);
		bool others; /* characters outside ASCII are in it */
	} classes[] = {
		{ "alnum", isalnum, true },  { "alpha", isalpha, true },
		{ "ascii", isascii, false }, { "blank", isblank, false },
		{ "cntrl", iscntrl, false }, { "digit", isdigit, false },
		{ "graph", isgraph, true },  { "lower", islower, false },
		{ "print", isprint, true },  { "punct", ispunct, false },
		{ "space", isspace, false }, { "upper", isupper, false },
		{ "word", isalnum, true },   { "xdigit", isxdigit, false },
	};
	static const char symbols[] = "$+<=>^`|~"; /* no punctuation */

	*known = true;
	for (size_t i = 0; i < COUNT_OF(classes); i++) {
		if (!str_is(name, classes[i].name))
			continue;
		if (c >= 0x80)
			return classes[i].others;
		if (classes[i].is == ispunct && c && strchr(symbols, (int)c))
			return false;
		return classes[i].is((int)c) ||
		       (str_is(name, "word") && c == '_');
	}
	*known = false;
	return false;
}

/* Take "[:name:]" off the front of @p; false when there is none. */
static bool take_class(struct str *p, uint32_t c, bool *in)
{
	struct str name = str_skip(*p, 2);
	size_t end = str_find(name, ':');
	bool known, has;

	if (!str_starts(*p, STR("[:")) ||
	    !str_starts(str_skip(name, end), STR(":]")))
		return false;
	has = class_has(str_head(name, end), c, &known);
	if (!known)
		return false;
	*in = *in || has;
	*p = str_skip(*p, end + 4);
	return true;
}

/* Take one character of a set off the front of @p. */
static bool take_char(struct str *p, uint32_t *ret)
{
	size_t len;

	if (str_starts(*p, STR("\\")))
		*p = str_skip(*p, 1);
	if (!p->len)
		return false;
	*ret = utf8_any(*p, &len);
	*p = str_skip(*p, len);
	return true;
}

/* Take a character or a range off the front of @p. */
static bool take_member(struct str *p, uint32_t c, bool *in)
{
	uint32_t from, to;

	if (take_class(p, c, in))
		return true;
	if (!take_char(p, &from))
		return false;
	to = from;
	if (p->len > 1 && p->ptr[0] == '-' && p->ptr[1] != ']') {
		*p = str_skip(*p, 1);
		if (!take_char(p, &to))
			return false;
	}
	*in = *in || (c >= from && c <= to);
	return true;
}

/*
 * Parse the set at the front of @p and test @c. The length of the set; 0 when
 * it is not closed, and the bracket is a plain character.
 */
static size_t set_at(struct str p, uint32_t c, bool *ret)
{
	struct str rest = str_skip(p, 1);
	bool others = rest.len && (rest.ptr[0] == '!' || rest.ptr[0] == '^');
	bool in = false, first = true;

	rest = str_skip(rest, others);
	for (; first || !rest.len || rest.ptr[0] != ']'; first = false)
		if (!take_member(&rest, c, &in))
			return 0;
	*ret = in != others;
	return p.len - rest.len + 1;
}

/*
 * Match the element at the front of @p, which is no star, with a character;
 * *@len is the length of the element.
 */
static bool element_fits(struct str p, uint32_t c, size_t *len)
{
	uint32_t want;
	bool in = false;

	if (p.ptr[0] == '?') {
		*len = 1;
		return true;
	}
	if (p.ptr[0] == '[') {
		*len = set_at(p, c, &in);
		if (*len)
			return in;
	}
	if (p.ptr[0] == '\\' && p.len > 1) {
		want = utf8_any(str_skip(p, 1), len);
		++*len;
	} else {
		want = utf8_any(p, len);
	}
	return want == c;
}

/* Match a component; the last star is always enough to go back to. */
static bool part_fits(struct str p, struct str s)
{
	struct str star = { NULL, 0 }, from = { NULL, 0 };
	size_t element = 0, len = 0;
	uint32_t c;

	while (s.len) {
		if (p.len && p.ptr[0] == '*') {
			p = star = str_skip(p, 1);
			from = s;
			continue;
		}
		c = utf8_any(s, &len);
		if (p.len && element_fits(p, c, &element)) {
			p = str_skip(p, element);
			s = str_skip(s, len);
			continue;
		}
		if (!star.ptr)
			return false;
		(void)utf8_any(from, &len);
		s = from = str_skip(from, len);
		p = star;
	}
	while (p.len && p.ptr[0] == '*')
		p = str_skip(p, 1);
	return !p.len;
}

/* ---- a path */

static bool any_depth(struct str part)
{
	return str_is(part, "**");
}

/* From the components in @at on, one that @part matches. */
static void step_part(const struct path_parts *path, struct str part, bool *at)
{
	for (size_t i = path->count; i > 0; i--)
		at[i] = at[i - 1] && part_fits(part, path->part[i - 1]);
	at[0] = false;
}

/* From the components in @at on, any number. */
static void step_any(const struct path_parts *path, bool *at)
{
	for (size_t i = 0; i < path->count; i++)
		at[i + 1] = at[i + 1] || at[i];
}

static bool choice_fits(const struct path_glob_choice *choice,
			const struct path_parts *path)
{
	bool at[MAX_DEPTH + 1] = { true };

	for (size_t i = 0; i < choice->count; i++) {
		if (!any_depth(choice->part[i])) {
			step_part(path, choice->part[i], at);
			continue;
		}
		step_any(path, at);
		/* at the end it takes one component at least */
		if (i + 1 == choice->count)
			return path->count && at[path->count - 1];
	}
	return at[path->count];
}

static bool split_path(struct str path, struct path_parts *ret)
{
	ret->count = 0;
	while (path.len) {
		if (ret->count == MAX_DEPTH)
			return false;
		ret->part[ret->count++] = str_head(path, str_find(path, '/'));
		path = str_skip(path, str_find(path, '/') + 1);
	}
	return true;
}

bool path_glob_matches(const struct path_glob *glob, struct str path)
{
	struct path_parts parts;
	bool fits = false;

	if (glob->nothing)
		return false;
	if (!split_path(path, &parts))
		return glob->negated;
	for (size_t i = 0; i < glob->count && !fits; i++)
		fits = choice_fits(&glob->choice[i], &parts);
	return fits != glob->negated;
}

/* ---- parsing */

/* Does "name/.." cancel out: is @part a name, or a pattern for one? */
static bool part_is_plain(struct str part)
{
	return part.len && !str_is(part, ".") && !str_is(part, "..") &&
	       !any_depth(part);
}

static void choice_add(struct arena *mem, struct str part, struct str **parts,
		       size_t *n)
{
	struct str last = *n ? (*parts)[*n - 1] : STR("");

	if (any_depth(part) && any_depth(last))
		return;
	if (str_is(part, "..") && part_is_plain(last))
		--*n;
	else
		*arena_add(mem, *parts, *n) = part;
}

static struct path_glob_choice parse_choice(struct arena *mem,
					    struct str pattern)
{
	struct str *parts = NULL, part;
	size_t n = 0, end;

	for (;;) {
		end = str_find(pattern, '/');
		part = str_head(pattern, end);
		choice_add(mem, part, &parts, &n);
		if (end == pattern.len)
			break;
		while (end < pattern.len && pattern.ptr[end] == '/')
			end++;
		pattern = str_skip(pattern, end);
	}
	return (struct path_glob_choice){ parts, n };
}

/* Has it "+(", "@(" or the like, and a ")" behind it? */
static bool is_extended(struct str pattern)
{
	for (size_t i = 0; i + 1 < pattern.len; i++) {
		if (pattern.ptr[i] == '\\')
			i++;
		else if (pattern.ptr[i + 1] == '(' &&
			 strchr("?*+@!", pattern.ptr[i]) && pattern.ptr[i] &&
			 str_find(str_skip(pattern, i), ')') < pattern.len - i)
			return true;
	}
	return false;
}

const char *path_glob_parse(struct arena *mem, struct str pattern,
			    struct path_glob *ret)
{
	struct path_glob_choice *choices;
	struct str *expanded;
	size_t n;

	*ret = (struct path_glob){ 0 };
	if (pattern.len > MAX_PATTERN)
		return "it is longer than 10,000 bytes";
	if (is_extended(pattern))
		return "extended globs such as +(a|b) are not supported; write {a,b}";
	ret->nothing = !pattern.len || pattern.ptr[0] == '#';
	for (; str_starts(pattern, STR("!")); pattern = str_skip(pattern, 1))
		ret->negated = !ret->negated;
	if (!brace_expand(mem, pattern, MAX_CHOICES, &expanded, &n))
		return "its braces have too many alternatives";
	choices = arena_array(mem, struct path_glob_choice, n);
	for (size_t i = 0; i < n; i++)
		choices[i] = parse_choice(mem, expanded[i]);
	ret->choice = choices;
	ret->count = n;
	return NULL;
}
