/*
 * test_codex_find.c - finding the Codex CLI, in temporary directories.
 */
#include "../files/scratch.h"
#include "../unit.h"

#include "acp/codex.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#if defined(__aarch64__)
#define NATIVE "codex-linux-arm64/vendor/aarch64-unknown-linux-musl/bin/codex"
#else
#define NATIVE "codex-linux-x64/vendor/x86_64-unknown-linux-musl/bin/codex"
#endif

static void make(const char *path)
{
	auto_arena mem = ARENA_INIT;
	char *copy = arena_cstr(&mem, str_of(path));
	FILE *file;

	for (char *at = copy + 1; (at = strchr(at, '/')); at++) {
		*at = 0;
		(void)mkdir(copy, 0755);
		*at = '/';
	}
	file = fopen(path, "w");
	assert_non_null(file);
	assert_int_equal(fclose(file), 0);
	assert_int_equal(chmod(path, 0755), 0);
}

/* @native: path of the native binary below @openai; or NULL. */
static void finds(const char *native, bool launched)
{
	struct arena mem = ARENA_INIT;
	struct scratch s;
	const char *bin, *launcher, *want, *found;
	struct str why;

	s = scratch_make();
	bin = arena_printf(&mem, "%s/bin/codex", s.base).ptr;
	launcher =
		arena_printf(&mem, "%s/lib/@openai/codex/bin/codex.js", s.base)
			.ptr;
	want = bin;
	if (native)
		make(want = arena_printf(&mem, "%s/lib/@openai/%s", s.base,
					 native)
				    .ptr);
	make(launched ? launcher : bin);
	if (launched) {
		make(arena_printf(&mem, "%s/bin/x", s.base).ptr);
		assert_int_equal(symlink(launcher, bin), 0);
	}
	assert_int_equal(
		setenv("PATH",
		       arena_printf(&mem, "relative::%s/bin", s.base).ptr, 1),
		0);
	found = codex_find(NULL, &mem, &why);
	assert_non_null(found);
	assert_string_equal(found, want);
	arena_free(&mem);
	scratch_end(&s);
}

static void the_native_binary_is_preferred_to_the_launcher(void **state)
{
	finds(NULL, false);
	finds(NULL, true);
	finds(NATIVE, true);
	finds("codex/node_modules/@openai/" NATIVE, true);
}

static void a_given_path_is_used_or_refused(void **state)
{
	auto_arena mem = ARENA_INIT;
	struct str why = STR("");

	assert_string_equal(codex_find("/bin/sh", &mem, &why), "/bin/sh");
	assert_null(codex_find("/no/such", &mem, &why));
	assert_true(str_ends(why, STR("/no/such")));
}

static void a_missing_codex_is_explained(void **state)
{
	auto_arena mem = ARENA_INIT;
	struct str why = STR("");

	assert_int_equal(setenv("PATH", "/no/such", 1), 0);
	if (codex_find(NULL, &mem, &why))
		return; /* installed system-wide on this machine */
	assert_true(str_ends(why, STR("--codex PATH.")));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			the_native_binary_is_preferred_to_the_launcher),
		cmocka_unit_test(a_given_path_is_used_or_refused),
		cmocka_unit_test(a_missing_codex_is_explained),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
