#include "text/ignore.h"

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
	rule.only_end = rule.only_name && line.ptr[0] == '*' &&
			literal_part(str_skip(line, 1)) == line.len - 1;
	*ret = rule;
	return true;
}

static size_t count_lines(struct str text)
{
	size_t n = 1;

	for (size_t i = 0; i < text.len; i++)
		n += text.ptr[i] == '\n';
	return n;
}

enum ignore_fault ignore_parse(struct str text, struct arena *mem,
			       struct ignore_list *ret)
{
	struct ignore_rule *rules;
	struct ignore_rule rule;
	size_t count = 0, room;
	struct str line;

	ret->rules = NULL;
	ret->count = 0;
	if (str_starts(text, STR("\xef\xbb\xbf")))
		text = str_skip(text, 3);
	/* Comments take no room, and are no reason to have too many. */
	room = size_min(count_lines(text), IGNORE_MAX_PATTERNS);
	rules = arena_array(mem, struct ignore_rule, room);
	for (size_t n = 1; text.len && str_split(&text, '\n', &line); n++) {
		if (!ignore_parse_line(line, &rule))
			continue;
		if (rule.pattern.len > IGNORE_MAX_PATTERN_BYTES)
			return IGNORE_TOO_LONG;
		if (count == room)
			return IGNORE_TOO_MANY;
		rule.line = n;
		rules[count++] = rule;
	}
	ret->rules = rules;
	ret->count = count;
	return IGNORE_TAKEN;
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
		      unsigned flags, struct glob_effort *effort)
{
	size_t slash = str_rfind(path, '/');
	struct str name = slash < path.len ? str_skip(path, slash + 1) : path;

	if (!may_fit(rule, name))
		return false;
	if (rule->only_end && !(flags & GLOB_CASELESS))
		return str_ends(name, str_skip(rule->pattern, 1));
	if (rule->literal == rule->pattern.len)
		return same(rule->pattern, name, flags);
	return glob_match_within(rule->pattern, name, flags | GLOB_GIT, effort);
}

/*
 * The part that stands for itself is compared and left out before the rest is
 * matched, as git does it: so two stars behind it, as in "a**" + "/b", are at
 * the start of a pattern and mean any directories.
 */
static bool fits_within(const struct ignore_rule *rule, struct str path,
			bool is_dir, unsigned flags, struct glob_effort *effort)
{
	struct str pattern = rule->pattern;

	if (rule->only_directory && !is_dir)
		return false;
	if (rule->only_name)
		return fits_name(rule, path, flags, effort);
	if (!same(str_head(pattern, rule->literal),
		  str_head(path, rule->literal), flags))
		return false;
	return glob_match_within(str_skip(pattern, rule->literal),
				 str_skip(path, rule->literal),
				 flags | GLOB_GIT, effort);
}

bool ignore_fits(const struct ignore_rule *rule, struct str path, bool is_dir,
		 unsigned flags)
{
	return ignore_fits_within(rule, path, is_dir, flags, NULL);
}

/* A rule that is given up alone does not use up what others have. */
bool ignore_fits_within(const struct ignore_rule *rule, struct str path,
			bool is_dir, unsigned flags,
			struct glob_effort *account)
{
	struct glob_effort own = { .steps = IGNORE_MAX_RULE_STEPS };
	uint64_t most;
	bool fits;

	if (account && account->exhausted)
		return flags & GLOB_WARY;
	if (account && account->steps < own.steps)
		own.steps = account->steps;
	most = own.steps;
	fits = fits_within(rule, path, is_dir, flags, &own);
	if (account)
		(void)glob_spend(account, 1 + most - own.steps);
	return fits;
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

/* What is decided when the effort is used up does not count. */
static bool last_word(const struct ignore_list *lists, size_t n,
		      struct str path, bool is_dir, struct glob_effort *effort,
		      struct ignore_cause *ret)
{
	struct str rest;
	bool fits;

	for (size_t i = n; i-- > 0;) {
		if (!inside(path, lists[i].dir, &rest))
			continue;
		for (size_t r = lists[i].count; r-- > 0;) {
			const struct ignore_rule *rule = &lists[i].rules[r];

			fits = glob_spend(effort, 1) &&
			       fits_within(rule, rest, is_dir, 0, effort);
			if (!fits && !effort->exhausted)
				continue;
			*ret = (struct ignore_cause){ &lists[i], rule };
			return effort->exhausted || !rule->negated;
		}
	}
	*ret = (struct ignore_cause){ 0 };
	return false;
}

bool ignore_decide_within(const struct ignore_list *lists, size_t n,
			  struct str path, bool is_dir,
			  struct glob_effort *effort,
			  struct ignore_cause *cause)
{
	struct ignore_cause why;
	bool ignored = false;

	for (size_t i = 1; i <= path.len && !ignored; i++)
		if (i == path.len || path.ptr[i] == '/')
			ignored =
				last_word(lists, n, str_head(path, i),
					  i < path.len || is_dir, effort, &why);
	if (cause)
		*cause = path.len ? why : (struct ignore_cause){ 0 };
	return ignored;
}

bool ignore_decide(const struct ignore_list *lists, size_t n, struct str path,
		   bool is_dir, struct ignore_cause *cause)
{
	struct glob_effort effort = { .steps = IGNORE_MAX_STEPS };

	return ignore_decide_within(lists, n, path, is_dir, &effort, cause);
}
