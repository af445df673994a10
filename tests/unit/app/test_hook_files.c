/*
 * test_hook_files.c - the files that a hook's command names: C23 X14.
 */
#include "../unit.h"

#include "app/hook_files.h"
#include "base/buf.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static char here[] = "/tmp/stet-words-XXXXXX";

static void put(const char *name, unsigned mode)
{
	auto_arena mem = ARENA_INIT;
	const char *path = arena_printf(&mem, "%s/%s", here, name).ptr;
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	assert_int_equal(fclose(f), 0);
	assert_int_equal(chmod(path, mode), 0);
}

static void tell(void *ctx, struct str path)
{
	struct str dir = str_of(here);

	if (!str_starts(path, dir))
		return; /* a program of the system */
	buf_add(ctx, str_skip(path, dir.len + 1));
	buf_lit(ctx, ",");
}

static const struct {
	const char *command, *want;
} rows[] = {
	{ "./run.sh", "./run.sh," },
	{ "./none.sh", "./none.sh," }, /* a file created later would be run */
	{ "./run.sh data", "./run.sh,data," },
	{ "sh data", "data," },
	{ "sh -e data other", "data,other," },
	{ "/usr/bin/env sh data", "usr/bin/env,data," },
	{ "A=1 B='x y' sh data", "data," },
	{ "sed -i s/a/b/ data", "data," },
	{ "true && ./run.sh; sh data | sh other", "./run.sh,data,other," },
	{ "(./run.sh)", "./run.sh," },
	{ "sh \"with blank\"", "with blank," },
	{ "sh with\\ blank", "with blank," },
	{ "sh with=sign,too", "with=sign,too," },
	{ "cd sub && ./in.sh", "./in.sh,sub/./in.sh," },
	{ "bash -c 'cd sub && in.sh'", "sub/in.sh," },
	{ "(cd sub && true); ./run.sh", "./run.sh,sub/./run.sh," },
	{ "sh \"$STET_PATH\"", "" },
	{ "$HOME/run.sh", "run.sh," },
	{ "~/run.sh", "run.sh," },
	{ "\"$PWD/run.sh\"", "run.sh," },
	{ "\"${PWD}\"/run.sh", "run.sh," },
	{ "$(git rev-parse --show-toplevel)/run.sh", "run.sh," },
	{ "if sh data; then exit 0; fi", "data," },
	{ "! sh data", "data," },
	{ "{ sh data; }", "data," },
	{ "timeout 5 sh data", "data," },
	{ "xargs sh data", "data," },
	{ "flock lock sh data", "data," },
	{ ">/dev/null sh data", "dev/null,data," },
	{ "cat data | sh", "data," },
	{ "sh<data", "data," },
	{ "sh -c 'data arg'", "data," },
	{ "eval \"sh data\"", "data," },
	{ "test \"$(sh data)\" = ok", "data," },
	{ "$'data'", "data," },
	{ "x=data; sh $x", "data," },
	{ "make -fdata --file=other", "data,other," },
	{ "cd sub", "" },
	{ "", "" },
	{ "'open", "" },
	{ ";;&&||$", "" },
	{ "\\", "" },
};

static void the_files_that_are_named_are_told(void **state)
{
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		auto_arena mem = ARENA_INIT;
		auto_buf got = BUF_INIT;

		hook_words(str_of(rows[i].command), str_of(here), &mem, tell,
			   &got);
		if (!str_eq(buf_str(&got), str_of(rows[i].want)))
			print_message("# %s: " STR_FMT "\n", rows[i].command,
				      STR_ARG(buf_str(&got)));
		assert_str(buf_str(&got), rows[i].want);
	}
}

static void tell_count(void *ctx, struct str path)
{
	*(size_t *)ctx += 1;
}

/* An endless command is parsed up to a limit. */
static void the_work_has_a_limit(void **state)
{
	auto_arena mem = ARENA_INIT;
	auto_buf long_command = BUF_INIT;
	size_t n = 0;

	buf_lit(&long_command, "./run.sh .. . sub / ");
	for (int i = 0; i < 100000; i++)
		buf_addf(&long_command, " ../sub/x%d", i);
	hook_words(buf_str(&long_command), str_of(here), &mem, tell_count, &n);
	assert_in_range(n, 1, 512 * 64);
}

static int make(void **state)
{
	auto_arena mem = ARENA_INIT;

	if (!mkdtemp(here) || setenv("HOME", here, 1))
		return -1;
	(void)mkdir(arena_printf(&mem, "%s/sub", here).ptr, 0700);
	put("run.sh", 0755);
	put("data", 0644);
	put("other", 0644);
	put("with blank", 0644);
	put("with=sign,too", 0644);
	put("sub/in.sh", 0755);
	return 0;
}

static int clear(void **state)
{
	static const char *const names[] = { "run.sh",        "data",
					     "other",         "with blank",
					     "with=sign,too", "sub/in.sh",
					     "sub",           "." };
	auto_arena mem = ARENA_INIT;

	for (size_t i = 0; i < COUNT_OF(names); i++) {
		const char *path =
			arena_printf(&mem, "%s/%s", here, names[i]).ptr;

		if (unlink(path))
			(void)rmdir(path);
	}
	return rmdir(here);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_files_that_are_named_are_told),
		cmocka_unit_test(the_work_has_a_limit),
	};

	return cmocka_run_group_tests(tests, make, clear);
}
