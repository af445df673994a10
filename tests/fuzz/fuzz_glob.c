/*
 * fuzz_glob.c - a glob of path_glob.h and a path, separated by a NUL byte.
 *
 * A leading "!" turns the answer around; the pattern with each character of a
 * path escaped matches just that path; and an escaped pattern is never refused.
 */
#include "fuzz.h"

#include "text/pattern/path_glob.h"

static bool is_plain_path(struct str path)
{
	struct str rest = path, part;

	while (str_split(&rest, '/', &part))
		if (!part.len || str_is(part, ".") || str_is(part, ".."))
			return false;
	return path.len && path.ptr[path.len - 1] != '/';
}

/* Every byte of a name escaped; slashes stay. */
static struct str escaped(struct str path, struct arena *mem)
{
	char *to = arena_alloc(mem, 2 * path.len + 1);
	size_t n = 0;

	for (size_t i = 0; i < path.len; i++) {
		if (path.ptr[i] != '/' && !(path.ptr[i] & 0x80))
			to[n++] = '\\';
		to[n++] = path.ptr[i];
	}
	return str_make(to, n);
}

static void negated_is_the_contrary(struct str pattern, struct str path,
				    bool fits, struct arena *mem)
{
	const struct str parts[] = { STR("!"), pattern };
	struct path_glob glob;

	if (!pattern.len || pattern.ptr[0] == '#' || pattern.ptr[0] == '(')
		return;
	must(!path_glob_parse(mem, arena_join(mem, parts, 2), &glob));
	must(path_glob_matches(&glob, path) == !fits);
}

static void a_path_matches_itself(struct str path, struct arena *mem)
{
	enum { LONGEST = 1000 };
	struct path_glob glob;

	if (!is_plain_path(path) || path.len > LONGEST)
		return;
	must(!path_glob_parse(mem, escaped(path, mem), &glob));
	must(path_glob_matches(&glob, path));
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
	auto_arena mem = ARENA_INIT;
	struct str all = str_make((const char *)bytes, len);
	size_t end = str_find(all, '\0');
	struct str pattern = str_head(all, end), path = str_skip(all, end + 1);
	struct path_glob glob;

	path = str_head(path, str_find(path, '\0'));
	a_path_matches_itself(path, &mem);
	if (path_glob_parse(&mem, pattern, &glob))
		return 0;
	negated_is_the_contrary(pattern, path, path_glob_matches(&glob, path),
				&mem);
	return 0;
}
