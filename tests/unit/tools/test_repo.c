/*
 * test_repo.c - paths in the repository: normalized, and without blocked
 * names.
 */
#include "../unit.h"

#include "tools/handlers/repo.h"

/* A55 A57 T14 T15 T16 T17 T18 T43 T46 T47 T48 T51 T62 */
static const struct {
	const char *path, *normal; /* NULL = not allowed */
} paths[] = {
	{ "a", "a" },
	{ "a/b", "a/b" },
	{ "./a//b", "a/b" },
	{ "a/b/", "a/b" },
	{ "a/./b/.", "a/b" },
	{ ".", "." },
	{ "./", "." },
	{ "...", "..." },
	{ "..a/b..", "..a/b.." },
	{ "/a", NULL },
	{ "/", NULL },
	{ "..", NULL },
	{ "../a", NULL },
	{ "a/..", NULL },
	{ "a/../b", NULL },
	{ ".env", NULL },
	{ ".ENV", NULL },
	{ ".envrc", NULL },
	{ ".env.local/a", NULL },
	{ "a.env", NULL },
	{ "a.env/b", NULL },
	{ "env", "env" },
	{ "a.env.c", "a.env.c" },
	{ "a.envx", "a.envx" },
	{ "environment.md", "environment.md" },
	{ "secret", NULL },
	{ "aSeCrEtb", NULL },
	{ "my_secrets/a.txt", NULL },
	{ "secre/t", "secre/t" },
	{ "credential", NULL },
	{ "x/Credentials.json", NULL },
	{ ".git", NULL },
	{ ".Git/config", NULL },
	{ "a/.git/b", NULL },
	{ ".gitignore", ".gitignore" },
	{ ".github/x", ".github/x" },
	{ "a.git", "a.git" },
	{ "git", "git" },
	{ "id.key", NULL },
	{ "id.KEY", NULL },
	{ ".key", NULL },
	{ "key", "key" },
	{ "a.keys", "a.keys" },
	{ "a.pem", NULL },
	{ "a.pem.txt", "a.pem.txt" },
};

static void paths_are_normal_or_not_allowed(void **state)
{
	for (size_t i = 0; i < COUNT_OF(paths); i++) {
		auto_arena mem = ARENA_INIT;
		struct str normal = STR("");
		bool fine = repo_path(&mem, str_of(paths[i].path), &normal);

		if (fine != (paths[i].normal != NULL))
			print_message("# %s\n", paths[i].path);
		assert_int_equal(fine, paths[i].normal != NULL);
		if (fine)
			assert_str(normal, paths[i].normal);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(paths_are_normal_or_not_allowed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
