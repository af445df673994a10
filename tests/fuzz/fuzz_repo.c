/*
 * fuzz_repo.c - paths of a repository.
 *
 * An accepted path is relative, has no component that is blocked by the rules
 * as repeated here, is a fixed point of normalisation, and is accepted in upper
 * case as well.
 */
#include "tools/handlers/repo.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void need(bool claim)
{
	if (!claim)
		abort();
}

static char *changed(struct arena *mem, struct str s, bool upper)
{
	char *to = arena_alloc(mem, s.len + 1);

	for (size_t i = 0; i < s.len; i++) {
		char c = s.ptr[i];

		if (upper && c >= 'a' && c <= 'z')
			c = (char)(c - 'a' + 'A');
		if (!upper && c >= 'A' && c <= 'Z')
			c = (char)(c - 'A' + 'a');
		to[i] = c;
	}
	to[s.len] = '\0';
	return to;
}

static bool is_fine(const char *name)
{
	size_t n = strlen(name);

	return *name && strcmp(name, "..") != 0 && strcmp(name, ".git") != 0 &&
	       strncmp(name, ".env", 4) != 0 && !strstr(name, "secret") &&
	       !strstr(name, "credential") &&
	       !(n >= 4 && (!strcmp(name + n - 4, ".env") ||
			    !strcmp(name + n - 4, ".key") ||
			    !strcmp(name + n - 4, ".pem")));
}

/* Every component of @path; "." alone is the root. */
static void check_parts(char *path)
{
	for (char *part = path; part;) {
		char *slash = strchr(part, '/');

		if (slash)
			*slash = '\0';
		need(is_fine(part));
		part = slash ? slash + 1 : NULL;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	auto_arena mem = ARENA_INIT;
	struct str path = str_make((const char *)data, size), normal, again;
	bool fine;

	if (memchr(data, '\0', size))
		return 0;
	fine = repo_path(&mem, path, &normal);
	need(fine ==
	     repo_path(&mem, str_of(changed(&mem, path, true)), &again));
	if (!fine)
		return 0;
	need(normal.len && normal.ptr[0] != '/' && !repo_blocks(normal));
	need(repo_path(&mem, normal, &again) && str_eq(normal, again));
	check_parts(changed(&mem, normal, false));
	return 0;
}
