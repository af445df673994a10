/*
 * globs.c - parses and matches the file patterns of a call.
 *
 * Braces are expanded first, so that each pattern is a rule of
 * text/pattern/ignore.h, with its quick tests for *.c and plain names.
 */
#include "tools/find/globs.h"

#include "files/path.h"

/* Patterns of one call after the expansion of braces. */
enum { MOST_PATTERNS = 1024, MOST_BYTES = 4096, MOST_BRACES = 16 };

struct glob_parser {
	struct arena *mem;
	struct find_globs *to;
	struct fault *f;
	struct str part; /* as given, for faults */
	bool negated, anchored;
};

static enum err bad_glob(struct glob_parser *p, const char *why)
{
	return fail(p->f, ERR_BAD_GLOB,
		    .text = arena_printf(p->mem, STR_FMT ": %s",
					 STR_ARG(p->part), why));
}

/* Skip the set at s[i]: the offset behind its "]", or 0 if it has none. */
static size_t set_end(struct str s, size_t i)
{
	i++;
	if (i < s.len && (s.ptr[i] == '!' || s.ptr[i] == '^'))
		i++;
	if (i < s.len && s.ptr[i] == ']')
		i++;
	for (; i < s.len; i++) {
		if (s.ptr[i] == '\\')
			i++;
		else if (s.ptr[i] == ']')
			return i + 1;
	}
	return 0;
}

/*
 * The offset behind the next character, escape or set; 0 for a set without an
 * end.
 */
static size_t glob_step(struct str s, size_t i)
{
	if (s.ptr[i] == '[')
		return set_end(s, i);
	return size_min(i + 1 + (s.ptr[i] == '\\'), s.len);
}

static bool has_literal(struct str component)
{
	for (size_t i = 0; i < component.len;) {
		if (!memchr("*?[", component.ptr[i], 3))
			return true;
		i = glob_step(component, i);
		if (!i)
			return false;
	}
	return false;
}

static bool is_all_literal(struct str component)
{
	for (size_t i = 0; i < component.len; i++)
		if (memchr("*?[\\", component.ptr[i], 4))
			return false;
	return component.len;
}

/* The bytes of whole literal directories at the front of the pattern. */
static size_t literal_directories(struct str pattern)
{
	size_t end = 0;

	for (size_t i = 0; i < pattern.len; i++) {
		if (memchr("*?[\\", pattern.ptr[i], 4))
			break;
		if (pattern.ptr[i] == '/')
			end = i + 1;
	}
	return end;
}

static void add_names(struct glob_parser *p, struct str pattern)
{
	struct find_globs *to = p->to;
	struct str name;

	while (path_next(&pattern, &name))
		if (is_all_literal(name))
			*arena_add(p->mem, to->named, to->named_count) = name;
}

/* The line of an ignore file that means the same as the pattern. */
static struct str pattern_line(const struct glob_parser *p, struct str pattern)
{
	bool anchored = p->anchored;
	struct str name = pattern;

	/* A name at any depth: without its directories it matches faster. */
	while (str_starts(name, STR("**/")))
		name = str_skip(name, 3);
	if (name.len && name.len < pattern.len &&
	    str_find(name, '/') >= name.len - 1) {
		pattern = name;
		anchored = false;
	}
	if (anchored && !str_starts(pattern, STR("/")))
		return arena_printf(p->mem, "/" STR_FMT, STR_ARG(pattern));
	if (!anchored && pattern.len && memchr("#!", pattern.ptr[0], 2))
		return arena_printf(p->mem, "\\" STR_FMT, STR_ARG(pattern));
	return pattern;
}

static struct str last_component(struct str pattern)
{
	size_t slash = str_rfind(pattern, '/');

	return slash < pattern.len ? str_skip(pattern, slash + 1) : pattern;
}

static bool has_parent(struct str pattern)
{
	struct str name;

	while (path_next(&pattern, &name))
		if (str_is(name, ".."))
			return true;
	return false;
}

/* Add one pattern without braces. */
static enum err add_pattern(struct glob_parser *p, struct str pattern)
{
	struct find_globs *to = p->to;
	struct find_glob glob = { 0 };

	if (to->count == MOST_PATTERNS)
		return bad_glob(p, "too many alternatives");
	if (!ignore_parse_line(pattern_line(p, pattern), &glob.rule))
		return bad_glob(p, "it matches nothing");
	if (has_parent(pattern))
		return bad_glob(p, ".. matches nothing: use path");
	glob.rule.negated = p->negated;
	/* Not beyond a "/": see fits_within() in ignore.c. */
	if (!glob.rule.only_name) {
		glob.rule.literal = literal_directories(glob.rule.pattern);
		glob.dirs = glob.rule.literal;
	}
	glob.literal_last = has_literal(last_component(glob.rule.pattern));
	if (!p->negated) {
		to->positive = true;
		add_names(p, glob.rule.pattern);
	}
	*arena_add(p->mem, to->part, to->count) = glob;
	return ERR_OK;
}

/* The first "{" outside sets, or s.len; SIZE_MAX for a set without an end. */
static size_t find_brace(struct str s)
{
	for (size_t i = 0; i < s.len;) {
		if (s.ptr[i] == '{')
			return i;
		i = glob_step(s, i);
		if (!i)
			return SIZE_MAX;
	}
	return s.len;
}

/* The end of the alternative that begins at s[i]: at "," or the last "}". */
static size_t choice_end(struct str s, size_t i)
{
	unsigned depth = 0;

	while (i < s.len) {
		if (!depth && (s.ptr[i] == ',' || s.ptr[i] == '}'))
			return i;
		depth += s.ptr[i] == '{';
		depth -= s.ptr[i] == '}';
		i = glob_step(s, i);
		if (!i)
			break;
	}
	return s.len;
}

static enum err add_expanded(struct glob_parser *p, struct str pattern,
			     unsigned depth)
{
	size_t open = find_brace(pattern), from = open + 1, end, close;
	enum err e = ERR_OK;

	if (open == SIZE_MAX)
		return bad_glob(p, "unclosed [");
	if (open == pattern.len)
		return add_pattern(p, pattern);
	if (depth == MOST_BRACES)
		return bad_glob(p, "too many braces");
	for (close = choice_end(pattern, from);
	     close < pattern.len && pattern.ptr[close] != '}';)
		close = choice_end(pattern, close + 1);
	if (close == pattern.len)
		return bad_glob(p, "unclosed {");
	do {
		end = choice_end(pattern, from);
		e = add_expanded(p,
				 arena_join(p->mem,
					    (const struct str[]){
						    str_head(pattern, open),
						    str_sub(pattern, from, end),
						    str_skip(pattern,
							     close + 1) },
					    3),
				 depth + 1);
		from = end + 1;
	} while (!e && end < close);
	return e;
}

static enum err add_part(struct glob_parser *p, struct str part)
{
	struct str body = part;

	p->part = part;
	if (part.len > MOST_BYTES)
		return bad_glob(p, "too long");
	if (str_find(part, '\0') < part.len)
		return bad_glob(p, "it contains a NUL, which no file name can");
	p->negated = str_starts(body, STR("!"));
	body = str_skip(body, p->negated);
	while (str_starts(body, STR("./")))
		body = str_skip(body, 2);
	if (!body.len)
		return ERR_OK;
	p->anchored = str_find(body, '/') < body.len - 1;
	return add_expanded(p, body, 0);
}

/* The end of the next part: a blank or comma outside braces. */
static size_t part_end(struct str s)
{
	unsigned depth = 0;

	for (size_t i = 0; i < s.len; i++) {
		if (!depth && memchr(" ,\t\n", s.ptr[i], 4))
			return i;
		if (s.ptr[i] == '\\')
			i++;
		else if (s.ptr[i] == '{')
			depth++;
		else if (s.ptr[i] == '}' && depth)
			depth--;
	}
	return s.len;
}

enum err find_globs_parse(struct str text, bool split, struct arena *mem,
			  struct find_globs *ret, struct fault *f)
{
	struct glob_parser p = { .mem = mem, .to = ret, .f = f };
	enum err e = ERR_OK;
	size_t end;

	*ret = (struct find_globs){ 0 };
	while (!e && text.len) {
		end = split ? part_end(text) : text.len;
		if (end)
			e = add_part(&p, str_head(text, end));
		text = str_skip(text, end + 1);
	}
	return e;
}

static bool glob_fits(const struct find_glob *glob, struct str path,
		      bool is_dir, struct glob_budget *budget)
{
	return ignore_matches_within(&glob->rule, path, is_dir, 0, budget);
}

enum find_fit find_globs_fit(const struct find_globs *globs, struct str path,
			     struct glob_budget *budget)
{
	bool fits = false;

	for (size_t i = globs->count; i-- > 0;) {
		const struct find_glob *glob = &globs->part[i];

		if ((fits && !glob->literal_last && !glob->rule.negated) ||
		    !glob_fits(glob, path, false, budget))
			continue;
		if (glob->rule.negated)
			return fits ? FIND_FITS : FIND_NO_FIT;
		if (glob->literal_last)
			return FIND_NAMED;
		fits = true;
	}
	return fits || !globs->positive ? FIND_FITS : FIND_NO_FIT;
}

bool find_globs_prune(const struct find_globs *globs, struct str path,
		      struct glob_budget *budget)
{
	for (size_t i = globs->count; i-- > 0;)
		if (glob_fits(&globs->part[i], path, true, budget))
			return globs->part[i].rule.negated;
	return false;
}

/* Is one of the paths the other, or a directory above it? */
static bool is_on_way(struct str dirs, struct str path)
{
	size_t n = size_min(dirs.len, path.len);

	return str_eq(str_head(dirs, n), str_head(path, n)) &&
	       (path.len >= dirs.len || dirs.ptr[path.len] == '/') &&
	       (path.len <= dirs.len || path.ptr[dirs.len] == '/');
}

bool find_globs_lead(const struct find_globs *globs, struct str path)
{
	if (!globs->positive)
		return true;
	for (size_t i = 0; i < globs->count; i++) {
		const struct find_glob *glob = &globs->part[i];

		if (glob->rule.negated)
			continue;
		if (!glob->dirs ||
		    is_on_way(str_head(glob->rule.pattern, glob->dirs - 1),
			      path))
			return true;
	}
	return false;
}

bool find_globs_name(const struct find_globs *globs, struct str name)
{
	for (size_t i = 0; i < globs->named_count; i++)
		if (str_eq(globs->named[i], name))
			return true;
	return false;
}
