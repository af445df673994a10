#include "scratch.h"

#include "files/walk.h"

#include <sys/stat.h>

struct seen {
	struct buf names;
	size_t base, most;
};

static bool on_file(void *ctx, struct str path, uint64_t size)
{
	struct seen *seen = ctx;

	buf_add(&seen->names, str_skip(path, seen->base));
	buf_addf(&seen->names, ":%d|", (int)size);
	return --seen->most > 0;
}

static bool not_git(void *ctx, const char *name)
{
	return strcmp(name, ".git") != 0;
}

static struct seen walk(struct scratch *s, size_t most, unsigned depth)
{
	struct seen seen = { .base = s->root.len, .most = most };
	struct walk w = { on_file, not_git, &seen, depth };

	assert_int_equal(walk_files(scratch_path(s, "root"), &w), 0);
	return seen;
}

static void every_file_is_seen_once_and_no_link_followed(void **state)
{
	auto_scratch s = scratch_make();
	struct seen seen;

	scratch_dir(&s, "root/b");
	scratch_dir(&s, "root/.git");
	scratch_put(&s, "root/b/x", "12");
	scratch_put(&s, "root/a", "");
	scratch_put(&s, "root/c", "1");
	scratch_put(&s, "root/.git/config", "1");
	scratch_put(&s, "outside/secret", "1");
	scratch_link(&s, "../outside", "root/link");
	scratch_link(&s, "a", "root/other");
	assert_int_equal(mkfifo(scratch_path(&s, "root/fifo"), 0600), 0);
	seen = walk(&s, 99, 0);
	assert_str(buf_str(&seen.names), "/a:0|/b/x:2|/c:1|");
	buf_free(&seen.names);
	seen = walk(&s, 2, 0);
	assert_str(buf_str(&seen.names), "/a:0|/b/x:2|");
	buf_free(&seen.names);
}

static void a_root_that_is_not_there_is_told(void **state)
{
	struct walk w = { on_file, NULL, NULL, 0 };

	assert_int_equal(walk_files("/no/such/directory", &w), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_file_is_seen_once_and_no_link_followed),
		cmocka_unit_test(a_root_that_is_not_there_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
