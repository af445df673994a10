/*
 * ignore.c - parse and apply gitignore rules.
 *
 * A path is decided component by component from the root, because an excluded
 * directory excludes everything in it. Rules are tried from the last to the
 * first: the first one that matches decides. Literal prefixes and suffixes are
 * compared before glob_match() is called, which is most of the speed.
 */
#include "text/pattern/ignore.h"

/* Remove trailing blanks, except one after a backslash. */
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

static bool is_wildcard(char c)
{
	return c == '*' || c == '?' || c == '[' || c == '\\';
}

static size_t literal_prefix(struct str pattern)
{
	size_t i = 0;

	while (i < pattern.len && !is_wildcard(pattern.ptr[i]))
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
	/* git ends a line at a NUL */
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
	rule.literal = literal_prefix(line);
	rule.only_end = rule.only_name && line.ptr[0] == '*' &&
			literal_prefix(str_skip(line, 1)) == line.len - 1;
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
	/* Comments do not count towards the limit. */
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
	return IGNORE_OK;
}

static bool names_equal(struct str a, struct str b, unsigned flags)
{
	return str_eq(a, b) ||
	       ((flags & GLOB_CASELESS) && glob_match(a, b, flags));
}

static char ignore_letter(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* A fast check: most names differ from the pattern in their first letter. */
static bool may_fit(const struct ignore_rule *rule, struct str name)
{
	return !rule->literal ||
	       (name.len && ignore_letter(name.ptr[0]) ==
				    ignore_letter(rule->pattern.ptr[0]));
}

static bool fits_name(const struct ignore_rule *rule, struct str path,
		      unsigned flags, struct glob_budget *budget)
{
	size_t slash = str_rfind(path, '/');
	struct str name = slash < path.len ? str_skip(path, slash + 1) : path;

	if (!may_fit(rule, name))
		return false;
	if (rule->only_end && !(flags & GLOB_CASELESS))
		return str_ends(name, str_skip(rule->pattern, 1));
	if (rule->literal == rule->pattern.len)
		return names_equal(rule->pattern, name, flags);
	return glob_match_within(rule->pattern, name, flags | GLOB_GIT, budget);
}

/*
 * The literal prefix is compared and removed before the rest is matched, as git
 * does: so two stars behind it, as in "a**" + "/b", are at the start of a
 * pattern and mean any directories.
 */
static bool fits_within(const struct ignore_rule *rule, struct str path,
			bool is_dir, unsigned flags, struct glob_budget *budget)
{
	struct str pattern = rule->pattern;

	if (rule->only_directory && !is_dir)
		return false;
	if (rule->only_name)
		return fits_name(rule, path, flags, budget);
	if (!names_equal(str_head(pattern, rule->literal),
			 str_head(path, rule->literal), flags))
		return false;
	return glob_match_within(str_skip(pattern, rule->literal),
				 str_skip(path, rule->literal),
				 flags | GLOB_GIT, budget);
}

bool ignore_matches(const struct ignore_rule *rule, struct str path,
		    bool is_dir, unsigned flags)
{
	return ignore_matches_within(rule, path, is_dir, flags, NULL);
}

/*
 * Each rule also has a limit of its own, so that one that is given up leaves
 * budget for the others.
 */
bool ignore_matches_within(const struct ignore_rule *rule, struct str path,
			   bool is_dir, unsigned flags,
			   struct glob_budget *budget)
{
	struct glob_budget own = { .steps = IGNORE_MAX_RULE_STEPS };
	uint64_t most;
	bool fits;

	if (budget && budget->exhausted)
		return flags & GLOB_FAIL_CLOSED;
	if (budget && budget->steps < own.steps)
		own.steps = budget->steps;
	most = own.steps;
	fits = fits_within(rule, path, is_dir, flags, &own);
	if (budget)
		(void)glob_spend(budget, 1 + most - own.steps);
	return fits;
}

/* @path relative to @dir; false when it is not beneath @dir. */
static bool relative_to(struct str path, struct str dir, struct str *rest)
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

/* Is @path itself excluded? True as well when the budget is exhausted. */
static bool decide_component(const struct ignore_list *lists, size_t n,
			     struct str path, bool is_dir,
			     struct glob_budget *budget,
			     struct ignore_cause *ret)
{
	struct str rest;
	bool fits;

	for (size_t i = n; i-- > 0;) {
		if (!relative_to(path, lists[i].dir, &rest))
			continue;
		for (size_t r = lists[i].count; r-- > 0;) {
			const struct ignore_rule *rule = &lists[i].rules[r];

			fits = glob_spend(budget, 1) &&
			       fits_within(rule, rest, is_dir, 0, budget);
			if (!fits && !budget->exhausted)
				continue;
			*ret = (struct ignore_cause){ &lists[i], rule };
			return budget->exhausted || !rule->negated;
		}
	}
	*ret = (struct ignore_cause){ 0 };
	return false;
}

bool ignore_decide_within(const struct ignore_list *lists, size_t n,
			  struct str path, bool is_dir,
			  struct glob_budget *budget,
			  struct ignore_cause *cause)
{
	struct ignore_cause why;
	bool ignored = false;

	for (size_t i = 1; i <= path.len && !ignored; i++)
		if (i == path.len || path.ptr[i] == '/')
			ignored = decide_component(lists, n, str_head(path, i),
						   i < path.len || is_dir,
						   budget, &why);
	if (cause)
		*cause = path.len ? why : (struct ignore_cause){ 0 };
	return ignored;
}

bool ignore_decide(const struct ignore_list *lists, size_t n, struct str path,
		   bool is_dir, struct ignore_cause *cause)
{
	struct glob_budget budget = { .steps = IGNORE_MAX_STEPS };

	return ignore_decide_within(lists, n, path, is_dir, &budget, cause);
}
