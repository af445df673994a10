#include "text/ignore.h"

#include "text/glob.h"

/* Without the blanks at the end, but for one that a backslash keeps. */
static struct str trim_end(struct str line)
{
	size_t end = 0;

	for (size_t i = 0; i < line.len; i++) {
		if (line.ptr[i] == ' ')
			continue;
		if (line.ptr[i] == '\\' && ++i == line.len)
			return line;
		end = i + 1;
	}
	return str_head(line, end);
}

static bool stands_for_more(char c)
{
	return c == '*' || c == '?' || c == '[' || c == '\\';
}

static size_t literal_part(struct str pattern)
{
	size_t i = 0;

	while (i < pattern.len && !stands_for_more(pattern.ptr[i]))
		i++;
	return i;
}

bool ignore_parse_line(struct str line, struct ignore_rule *ret)
{
	struct ignore_rule rule = { 0 };

	if (str_starts(line, STR("#")))
		return false;
	if (str_ends(line, STR("\r")))
		line.len--;
	/* a NUL ends it, for git */
	line = trim_end(str_head(line, str_find(line, '\0')));
	if (str_starts(line, STR("!"))) {
		rule.negated = true;
		line = str_skip(line, 1);
	}
	if (str_ends(line, STR("/"))) {
		rule.only_directory = true;
		line.len--;
	}
	if (!line.len)
		return false;
	rule.only_name = str_find(line, '/') == line.len;
	if (line.ptr[0] == '/')
		line = str_skip(line, 1);
	rule.pattern = line;
	rule.literal = literal_part(line);
	*ret = rule;
	return true;
}

void ignore_parse(struct str text, struct arena *mem, struct ignore_list *ret)
{
	size_t count = 0, line_number = 0, room = 1;
	struct ignore_rule *rules;
	struct str line;

	if (str_starts(text, STR("\xef\xbb\xbf")))
		text = str_skip(text, 3);
	for (size_t i = 0; i < text.len; i++)
		room += text.ptr[i] == '\n';
	rules = arena_array(mem, struct ignore_rule, room);
	while (text.len && str_split(&text, '\n', &line)) {
		line_number++;
		if (!ignore_parse_line(line, &rules[count]))
			continue;
		rules[count++].line = line_number;
	}
	ret->rules = rules;
	ret->count = count;
}

static bool same(struct str a, struct str b, unsigned flags)
{
	return str_eq(a, b) ||
	       ((flags & GLOB_CASELESS) && glob_match(a, b, flags));
}

static char lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* Most names and patterns differ in their first letter already. */
static bool may_fit(const struct ignore_rule *rule, struct str name)
{
	return !rule->literal ||
	       (name.len && lower(name.ptr[0]) == lower(rule->pattern.ptr[0]));
}

static bool fits_name(const struct ignore_rule *rule, struct str path,
		      unsigned flags)
{
	size_t slash = str_rfind(path, '/');
	struct str name = slash < path.len ? str_skip(path, slash + 1) : path;

	return may_fit(rule, name) &&
	       glob_match(rule->pattern, name, flags | GLOB_GIT);
}

/*
 * The part that stands for itself is compared and left out before the rest is
 * matched, as git does it: so two stars behind it, as in "a**" + "/b", are at
 * the start of a pattern and mean any directories.
 */
bool ignore_fits(const struct ignore_rule *rule, struct str path, bool is_dir,
		 unsigned flags)
{
	struct str pattern = rule->pattern;

	if (rule->only_directory && !is_dir)
		return false;
	if (rule->only_name)
		return fits_name(rule, path, flags);
	if (!same(str_head(pattern, rule->literal),
		  str_head(path, rule->literal), flags))
		return false;
	return glob_match(str_skip(pattern, rule->literal),
			  str_skip(path, rule->literal), flags | GLOB_GIT);
}

/* What is left of @path after @dir and a slash; false if it is not in there. */
static bool inside(struct str path, struct str dir, struct str *rest)
{
	if (!dir.len) {
		*rest = path;
		return true;
	}
	if (path.len <= dir.len + 1 || !str_starts(path, dir) ||
	    path.ptr[dir.len] != '/')
		return false;
	*rest = str_skip(path, dir.len + 1);
	return true;
}

static bool last_word(const struct ignore_list *lists, size_t n,
		      struct str path, bool is_dir, struct ignore_cause *ret)
{
	struct str rest;

	for (size_t i = n; i-- > 0;) {
		if (!inside(path, lists[i].dir, &rest))
			continue;
		for (size_t r = lists[i].count; r-- > 0;) {
			const struct ignore_rule *rule = &lists[i].rules[r];

			if (!ignore_fits(rule, rest, is_dir, 0))
				continue;
			*ret = (struct ignore_cause){ &lists[i], rule };
			return !rule->negated;
		}
	}
	*ret = (struct ignore_cause){ 0 };
	return false;
}

bool ignore_decide(const struct ignore_list *lists, size_t n, struct str path,
		   bool is_dir, struct ignore_cause *cause)
{
	struct ignore_cause why;
	bool ignored = false;

	for (size_t i = 1; i <= path.len && !ignored; i++)
		if (i == path.len || path.ptr[i] == '/')
			ignored = last_word(lists, n, str_head(path, i),
					    i < path.len || is_dir, &why);
	if (cause)
		*cause = path.len ? why : (struct ignore_cause){ 0 };
	return ignored;
}
