/*
 * fuzz_find.c - an ignore file, a glob and a path, separated by NUL bytes.
 *
 * Deciding entry by entry on the way down, with the quick tests of skip.c, has
 * the result that ignore_decide() has for the whole path. A path that fits a
 * glob is never below a directory that the search would not enter for it, and
 * expanding braces changes nothing for a glob without them.
 */
#include "fuzz.h"

#include "tools/find/globs.h"
#include "tools/find/skip.h"

/* Is @path, or a directory above it, ignored by the list? */
static bool skipped(const struct ignore_list *list, struct str path)
{
	struct skip_list one = { list->rules, list->count, 0, NULL };
	struct skip skip = { .kind[SKIP_RGIGNORE] = { &one, 1, 1 } };

	for (size_t i = 1; i <= path.len; i++) {
		struct str at = str_head(path, i);
		size_t slash = str_rfind(at, '/');

		if (i < path.len && path.ptr[i] != '/')
			continue;
		if (skip_has(&skip, at,
			     slash < at.len ? str_skip(at, slash + 1) : at,
			     i < path.len))
			return true;
	}
	return false;
}

static void check_ignored(struct str text, struct str path, struct arena *mem)
{
	struct glob_budget budget = { .steps = IGNORE_MAX_RULE_STEPS };
	struct ignore_list list = { 0 };
	bool ignored;

	if (ignore_parse(text, mem, &list) != IGNORE_OK)
		return;
	ignored = ignore_decide_within(&list, 1, path, false, &budget, NULL);
	if (!budget.exhausted)
		must(skipped(&list, path) == ignored);
}

static void check_globs(struct str glob, struct str path, struct arena *mem)
{
	struct glob_budget budget = { .steps = IGNORE_MAX_STEPS };
	struct find_globs globs;
	struct fault f;
	enum find_fit fit;

	if (find_globs_parse(glob, /* split= */ true, mem, &globs, &f)) {
		must(f.text.len);
		return;
	}
	for (size_t i = 0; i < globs.count; i++)
		must(globs.part[i].dirs <= globs.part[i].rule.pattern.len);
	fit = find_globs_fit(&globs, path, &budget);
	if (fit == FIND_NO_FIT || !globs.positive)
		return;
	for (size_t i = 1; i < path.len; i++)
		if (path.ptr[i] == '/')
			must(find_globs_lead(&globs, str_head(path, i)));
}

/* Relative, without empty components, "." and "..": as a walk has them. */
static bool is_path(struct str path)
{
	struct str name;

	if (!path.len || str_ends(path, STR("/")) ||
	    str_find(path, '\0') < path.len)
		return false;
	while (str_split(&path, '/', &name))
		if (!name.len || str_is(name, ".") || str_is(name, ".."))
			return false;
	return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
	auto_arena mem = ARENA_INIT;
	struct str all = str_make((const char *)bytes, size_min(len, 4096));
	struct str text = STR(""), glob = STR("");

	(void)str_split(&all, '\0', &text);
	(void)str_split(&all, '\0', &glob);
	if (!is_path(all))
		return 0;
	check_ignored(text, all, &mem);
	check_globs(glob, all, &mem);
	return 0;
}
