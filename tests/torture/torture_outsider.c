/*
 * torture_outsider.c - a writer without our locks, right beside our rename.
 *
 * A73: a process that does not take our locks writes right before or right
 * after our rename. Its last version stays in the file, and the caller gets an
 * error; a reply that names a version is true of the file on disk.
 */
#include "../unit/files/scratch.h"
#include "calls.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LARGE = 3 * 1024 * 1024, SMALL = 48 };

static const char name[] = "root/a";
static struct scratch *at;
static size_t size;

static struct str filled(char c)
{
	char *bytes = arena_alloc(&at->mem, size);

	memset(bytes, c, size);
	return str_make(bytes, size);
}

static void put(const char *where, struct str bytes)
{
	int fd = open(scratch_path(at, where), O_WRONLY | O_CREAT | O_TRUNC,
		      0644);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes.ptr, bytes.len), bytes.len);
	assert_int_equal(close(fd), 0);
}

static bool holds(char c)
{
	struct str got = STR(""), want = filled(c);
	int fd = open(scratch_path(at, name), O_RDONLY);
	char *bytes = arena_alloc(&at->mem, size + 1);

	if (fd < 0)
		return false;
	got = str_make(bytes, (size_t)read(fd, bytes, size + 1));
	assert_int_equal(close(fd), 0);
	return str_eq(got, want);
}

/* Write in place and restore size and mtime, so that stat shows nothing. */
static void rewrite_unseen(char c)
{
	const char *path = scratch_path(at, name);
	struct timespec times[2];
	struct stat st;

	assert_int_equal(stat(path, &st), 0);
	put(name, filled(c));
	times[0] = st.st_atim;
	times[1] = st.st_mtim;
	assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

static void rename_over(char c)
{
	put("root/theirs", filled(c));
	assert_int_equal(rename(scratch_path(at, "root/theirs"),
				scratch_path(at, name)),
			 0);
}

static void unseen(void)
{
	rewrite_unseen('1');
}

static void replaced(void)
{
	rename_over('1');
}

static void second_replaced(void)
{
	rename_over('2');
}

static void second_in_place(void)
{
	rewrite_unseen('2');
}

static void third_replaced(void)
{
	rename_over('3');
}

static void second_replaced_and_third(void)
{
	rename_over('2');
	calls.before_exchange = third_replaced;
}

static void twice_replaced(void)
{
	rename_over('1');
	calls.before_exchange = second_replaced;
}

static void replaced_then_in_place(void)
{
	rename_over('1');
	calls.before_exchange = second_in_place;
}

static void thrice_replaced(void)
{
	rename_over('1');
	calls.before_exchange = second_replaced_and_third;
}

static void removed(void)
{
	assert_int_equal(unlink(scratch_path(at, name)), 0);
}

static void replaced_then_removed(void)
{
	rename_over('1');
	calls.before_exchange = removed;
}

static void cut(void)
{
	assert_int_equal(truncate(scratch_path(at, name), 5), 0);
}

static enum err store_over(char old, char new, struct stored *ret)
{
	const struct store_want want = { .base = STORE_VERSION,
					 .version = hash_of(filled(old)),
					 .bytes = filled(new) };

	return ws_store(at->ws, scratch_str(at, name), &want, &at->mem, ret,
			&at->f);
}

/* Old enough for its mtime to be trusted (see files/stamp.h). */
static void make_old(void)
{
	const struct timespec times[2] = { { .tv_sec = 1000000000 },
					   { .tv_sec = 1000000000 } };

	put(name, filled('o'));
	assert_int_equal(utimensat(AT_FDCWD, scratch_path(at, name), times, 0),
			 0);
}

/* A73 A69 M70: the other process's last version stays, for each change. */
static void the_outsiders_last_version_is_in_the_file(void **state)
{
	static const struct {
		void (*before)(void);
		char last;
	} rules[] = {
		{ unseen, '1' },          { replaced, '1' },
		{ twice_replaced, '2' },  { replaced_then_in_place, '2' },
		{ thrice_replaced, '3' }, { replaced_then_removed, '1' },
	};
	static const size_t sizes[] = { SMALL, LARGE };

	for (size_t i = 0; i < COUNT_OF(rules) * COUNT_OF(sizes); i++) {
		size_t k = i / COUNT_OF(sizes);
		auto_scratch s = scratch_make();
		struct stored out;

		at = &s;
		size = sizes[i % COUNT_OF(sizes)];
		make_old();
		calls = (struct calls){ .countdown = -1,
					.before_exchange = rules[k].before };
		assert_int_equal(store_over('o', 'n', &out), ERR_CHANGED);
		assert_null(calls.before_exchange);
		if (!holds(rules[k].last))
			print_message("# rule %zu, %zu bytes\n", k, size);
		assert_true(holds(rules[k].last));
		assert_int_equal(scratch_names(&s, "root"), 1);
	}
}

/* A69: size and version are as the reply says, or the reply is an error. */
static void who_comes_right_after_is_told_of(void **state)
{
	static void (*const after[])(void) = { cut, unseen, replaced, removed };
	static const size_t sizes[] = { SMALL, LARGE };

	for (size_t i = 0; i < COUNT_OF(after) * COUNT_OF(sizes); i++) {
		size_t k = i / COUNT_OF(sizes);
		auto_scratch s = scratch_make();
		struct stored out;

		at = &s;
		size = sizes[i % COUNT_OF(sizes)];
		make_old();
		calls = (struct calls){ .countdown = -1,
					.after_exchange = after[k] };
		assert_int_equal(store_over('o', 'n', &out), ERR_OVERTAKEN);
		assert_null(calls.after_exchange);
		assert_false(holds('n'));
		assert_int_equal(scratch_names(&s, "root"),
				 after[k] != removed);
	}
}

static const struct {
	const char *says;
	bool linked;
	void (*meddle)(void);
	/* The number of calls after the last comparison of the file. */
	long blind;
} moments[] = {
	{ "replaced, cut", .meddle = cut, .blind = 1 },
	{ "replaced, rewritten", .meddle = unseen, .blind = 3 },
	{ "in place, cut", .linked = true, .meddle = cut, .blind = 1 },
	{ "in place, rewritten", .linked = true, .meddle = unseen, .blind = 3 },
};

/* One store with the other process at the @nth call; false: no such call. */
static bool store_at(size_t i, long nth, bool *ret_wrong)
{
	auto_scratch s = scratch_make();
	struct stored out;
	enum err e;

	at = &s;
	make_old();
	if (moments[i].linked)
		assert_int_equal(link(scratch_path(&s, name),
				      scratch_path(&s, "root/b")),
				 0);
	calls = (struct calls){ .countdown = nth,
				.hit = HIT_MEDDLES,
				.meddle = moments[i].meddle };
	e = store_over('o', 'n', &out);
	calls.countdown = -1;
	if (!calls.was_hit)
		assert_int_equal(e, ERR_OK);
	*ret_wrong = !e && !holds('n');
	return calls.was_hit;
}

/* A69: a truncation or rewrite at any call does not make a reply untrue. */
static void a_reply_is_true_or_an_error(void **state)
{
	size = SMALL;
	for (size_t i = 0; i < COUNT_OF(moments); i++) {
		long nth = 0, first_wrong = -1;
		bool wrong;

		for (; store_at(i, nth, &wrong); nth++)
			if (wrong && first_wrong < 0)
				first_wrong = nth;
		print_message("# %s: %ld calls\n", moments[i].says, nth);
		assert_true(nth > 20);
		if (first_wrong >= 0)
			assert_true(first_wrong >= nth - moments[i].blind);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_outsiders_last_version_is_in_the_file),
		cmocka_unit_test(a_reply_is_true_or_an_error),
		cmocka_unit_test(who_comes_right_after_is_told_of),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
