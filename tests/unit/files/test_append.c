/*
 * test_append.c - ws_append(): links, modes, permissions, concurrent
 * writers.
 */
#include "scratch.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static enum err add(struct scratch *s, const char *name,
		    const struct append_want *want, struct appended *ret)
{
	struct appended ignored;

	return ws_append(s->ws, scratch_str(s, name), want, &s->mem,
			 ret ? ret : &ignored, &s->f);
}

/*
 * T27 T55 T54 V85 V87: an unterminated line is terminated first, with the line
 * ending and in the encoding that the caller names.
 */
static void an_append_adds_at_the_end(void **state)
{
	static const struct {
		const char *before, *bytes, *newline, *eol, *after;
		uint64_t at, written;
	} rules[] = {
		{ NULL, "a\n", "\n", "\n", "a\n", 0, 2 },
		{ "", "a\n", "\n", "\n", "a\n", 0, 2 },
		{ "x\n", "a\n", "\n", "\n", "x\na\n", 2, 2 },
		{ "x", "a\n", "\n", "\n", "x\na\n", 1, 3 },
		{ "x", "a\n", "", "", "xa\n", 1, 2 },
		{ "x\n", "", "\n", "\n", "x\n", 2, 0 },
		{ "x", "a\r\n", "\n", "\r\n", "x\r\na\r\n", 1, 5 },
		{ "x\r\n", "a", "\n", "\r\n", "x\r\na", 3, 1 },
		{ "xy", "a", "12", "3412", "xy3412a", 2, 5 },
		{ "x12", "a", "12", "3412", "x12a", 3, 1 },
		{ "2", "a", "12", "12", "212a", 1, 3 },
	};

	for (size_t i = 0; i < COUNT_OF(rules) * 2; i++) {
		size_t k = i / 2;
		const struct append_want want = {
			.bytes = str_of(rules[k].bytes),
			.newline = str_of(rules[k].newline),
			.eol = str_of(rules[k].eol),
			.no_follow = i % 2,
		};
		auto_scratch s = scratch_make();
		struct appended out;
		struct stat st;

		if (rules[k].before)
			scratch_put(&s, "root/a", rules[k].before);
		assert_int_equal(add(&s, "root/a", &want, &out), ERR_OK);
		assert_string_equal(scratch_get(&s, "root/a"), rules[k].after);
		assert_int_equal(out.at, rules[k].at);
		assert_int_equal(out.written, rules[k].written);
		assert_int_equal(out.created, !rules[k].before);
		assert_int_equal(out.completed,
				 out.written > strlen(rules[k].bytes));
		assert_str(out.key, scratch_path(&s, "root/a"));
		assert_int_equal(stat(scratch_path(&s, "root/a"), &st), 0);
		assert_int_equal(out.stat.size, strlen(rules[k].after));
		assert_int_equal(out.stat.ino, st.st_ino);
		assert_int_equal(scratch_names(&s, "root"), 1);
	}
}

/* T60: a symlink, a dangling one, or one above the file. */
static void a_symlink_is_refused_with_no_follow(void **state)
{
	struct append_want want = { .bytes = STR("a\n"), .no_follow = true };
	auto_scratch s = scratch_make();

	scratch_dir(&s, "root/dir");
	scratch_put(&s, "root/dir/a", "x\n");
	scratch_put(&s, "outside/a", "x\n");
	scratch_link(&s, "dir/a", "root/a"); /* the same name elsewhere */
	scratch_link(&s, "dir/none", "root/dangling");
	scratch_link(&s, scratch_path(&s, "outside/a"), "root/out");
	scratch_link(&s, "dir", "root/way");
	assert_int_equal(add(&s, "root/a", &want, NULL), ERR_DENIED);
	assert_string_equal(s.f.reason, "symlink");
	assert_int_equal(add(&s, "root/dangling", &want, NULL), ERR_DENIED);
	assert_int_equal(add(&s, "root/out", &want, NULL), ERR_DENIED);
	assert_string_equal(scratch_get(&s, "root/dir/a"), "x\n");
	assert_string_equal(scratch_get(&s, "outside/a"), "x\n");
	/* only the last component counts */
	assert_int_equal(add(&s, "root/way/a", &want, NULL), ERR_OK);
	assert_string_equal(scratch_get(&s, "root/dir/a"), "x\na\n");
	want.no_follow = false;
	assert_int_equal(add(&s, "root/a", &want, NULL), ERR_OK);
	assert_string_equal(scratch_get(&s, "root/dir/a"), "x\na\na\n");
	assert_int_equal(add(&s, "root/out", &want, NULL), ERR_DENIED);
	assert_string_equal(scratch_get(&s, "outside/a"), "x\n");
}

/* A FIFO must not block. */
static void only_regular_files_are_appended_to(void **state)
{
	const struct append_want want = { .bytes = STR("a\n") };
	auto_scratch s = scratch_make();

	scratch_dir(&s, "root/dir");
	assert_int_equal(mkfifo(scratch_path(&s, "root/fifo"), 0666), 0);
	assert_int_equal(add(&s, "root/dir", &want, NULL), ERR_IS_DIRECTORY);
	assert_int_equal(add(&s, "root", &want, NULL), ERR_IS_DIRECTORY);
	assert_int_equal(add(&s, "root/fifo", &want, NULL), ERR_NOT_A_FILE);
	assert_int_equal(add(&s, "root/no/a", &want, NULL), ERR_NO_PARENT);
	assert_int_equal(add(&s, "outside/a", &want, NULL), ERR_DENIED);
	assert_int_equal(scratch_names(&s, "root"), 2);
	assert_int_equal(scratch_names(&s, "outside"), 0);
}

static int read_only_file(struct scratch *s)
{
	const struct append_want want = { .bytes = STR("a\n") };

	need(add(s, "root/a", &want, NULL) == ERR_DENIED);
	need(!strcmp(scratch_get(s, "root/a"), "x\n"));
	return 0;
}

static void a_read_only_file_is_not_appended_to(void **state)
{
	auto_scratch s = scratch_make();

	scratch_put(&s, "root/a", "x\n");
	assert_int_equal(chmod(scratch_path(&s, "root/a"), 0444), 0);
	assert_int_equal(scratch_as_nobody(&s, read_only_file), 0);
}

static void a_new_file_gets_the_requested_mode(void **state)
{
	struct append_want want = { .bytes = STR("a\n"), .mode = 0606 };
	auto_scratch s = scratch_make();
	mode_t before = umask(002);
	struct stat st;

	assert_int_equal(add(&s, "root/a", &want, NULL), 0);
	want.mode = 0;
	assert_int_equal(add(&s, "root/b", &want, NULL), 0);
	(void)umask(before);
	assert_int_equal(stat(scratch_path(&s, "root/a"), &st), 0);
	assert_int_equal(st.st_mode & 07777, 0604);
	assert_int_equal(stat(scratch_path(&s, "root/b"), &st), 0);
	assert_int_equal(st.st_mode & 07777, 0664);
}

static void all_hard_links_see_the_append(void **state)
{
	const struct append_want want = { .bytes = STR("a\n") };
	auto_scratch s = scratch_make();

	scratch_put(&s, "root/a", "x\n");
	assert_int_equal(link(scratch_path(&s, "root/a"),
			      scratch_path(&s, "root/b")),
			 0);
	assert_int_equal(add(&s, "root/b", &want, NULL), 0);
	assert_string_equal(scratch_get(&s, "root/a"), "x\na\n");
}

static struct {
	unsigned times;
	uint64_t at;
	enum err say;
} asked;

static enum err when_ready(void *ctx, uint64_t at, struct str bytes,
			   struct fault *f)
{
	assert_ptr_equal(ctx, &asked);
	assert_str(bytes, at ? "\na\n" : "a\n");
	asked.times++;
	asked.at = at;
	return asked.say ? fail(f, asked.say, .text = STR("no")) : ERR_OK;
}

static void nothing_is_written_when_ready_refuses(void **state)
{
	const struct append_want want = { .bytes = STR("a\n"),
					  .parents = true,
					  .newline = STR("\n"),
					  .eol = STR("\n"),
					  .ready = when_ready,
					  .ctx = &asked };
	auto_scratch s = scratch_make();

	scratch_put(&s, "root/a", "xyz");
	asked.say = ERR_REFUSED;
	assert_int_equal(add(&s, "root/a", &want, NULL), ERR_REFUSED);
	assert_str(s.f.text, "no");
	assert_int_equal(asked.at, 3);
	assert_string_equal(scratch_get(&s, "root/a"), "xyz");
	assert_int_equal(add(&s, "root/new/dir/a", &want, NULL), ERR_REFUSED);
	assert_int_equal(asked.at, 0);
	assert_int_equal(scratch_names(&s, "root"), 1);
	assert_int_equal(asked.times, 2);
	asked.say = ERR_OK;
	assert_int_equal(add(&s, "root/new/dir/a", &want, NULL), ERR_OK);
	assert_string_equal(scratch_get(&s, "root/new/dir/a"), "a\n");
	assert_int_equal(asked.times, 3);
}

/* V90: bytes are added to the expected version only. */
static void an_append_is_bound_to_a_version(void **state)
{
	struct hash version = hash_of(STR("x\n"));
	const struct append_want want = { .bytes = STR("a\n"),
					  .version = &version };
	auto_scratch s = scratch_make();

	assert_int_equal(add(&s, "root/a", &want, NULL), ERR_CHANGED);
	assert_int_equal(scratch_names(&s, "root"), 0);
	scratch_put(&s, "root/a", "x\n");
	assert_int_equal(add(&s, "root/a", &want, NULL), ERR_OK);
	assert_int_equal(add(&s, "root/a", &want, NULL), ERR_CHANGED);
	assert_string_equal(scratch_get(&s, "root/a"), "x\na\n");
}

enum { WRITERS = 4, LINES = 200 };

static void append_lines(struct scratch *s, int writer)
{
	char line[512];

	for (int i = 0; i < LINES; i++) {
		struct append_want want = { .parents = true,
					    .newline = STR("\n"),
					    .eol = STR("\n") };
		int n = snprintf(line, sizeof(line), "%d %d %0*d\n", writer, i,
				 100 + 90 * writer, 0);

		want.bytes = str_make(line, (size_t)n);
		if (add(s, "root/new/log", &want, NULL))
			_exit(1);
	}
	_exit(0);
}

/* T56 A73: every line of every process is there once and in order. */
static void lines_of_concurrent_writers_do_not_mix(void **state)
{
	auto_scratch s = scratch_make();
	int next[WRITERS] = { 0 }, status, writer, line, taken;
	const char *at;

	for (int i = 0; i < WRITERS; i++)
		if (!fork())
			append_lines(&s, i);
	for (int i = 0; i < WRITERS; i++) {
		assert_true(wait(&status) > 0);
		assert_int_equal(status, 0);
	}
	at = scratch_get(&s, "root/new/log");
	for (int i = 0; i < WRITERS * LINES; i++) {
		assert_int_equal(sscanf(at, "%d %d %*d%n", &writer, &line,
					&taken),
				 2);
		assert_int_equal(line, next[writer]++);
		at += taken;
		assert_int_equal(*at++, '\n');
	}
	assert_int_equal(*at, '\0');
	assert_int_equal(scratch_names(&s, "root/new"), 1);
}

static void a_missing_operation_is_an_error(void **state)
{
	static const struct workspace_ops none;
	struct workspace ws = { &none, "none" };
	const struct append_want want = { .bytes = STR("a") };
	struct appended appended;
	struct file_info info;
	struct fault f;

	assert_int_equal(ws_append(&ws, STR("/a"), &want, NULL, &appended, &f),
			 ERR_IO);
	assert_int_equal(ws_stat(&ws, STR("/a"), NULL, &info, &f), ERR_IO);
	assert_int_equal(ws_remove(&ws, STR("/a"), hash_of(STR("")), NULL, NULL,
				   &f),
			 ERR_IO);
	assert_str(f.path, "/a");
	assert_int_not_equal(f.os, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_append_adds_at_the_end),
		cmocka_unit_test(a_symlink_is_refused_with_no_follow),
		cmocka_unit_test(only_regular_files_are_appended_to),
		cmocka_unit_test(a_read_only_file_is_not_appended_to),
		cmocka_unit_test(a_new_file_gets_the_requested_mode),
		cmocka_unit_test(all_hard_links_see_the_append),
		cmocka_unit_test(nothing_is_written_when_ready_refuses),
		cmocka_unit_test(an_append_is_bound_to_a_version),
		cmocka_unit_test(lines_of_concurrent_writers_do_not_mix),
		cmocka_unit_test(a_missing_operation_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
