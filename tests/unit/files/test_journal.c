#include "scratch.h"

#include "base/fd.h"
#include "files/journal.h"
#include "files/locks.h"
#include "files/private.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static const char older[] = "old old old old";
static const char newer[] = "new new new new new";

static struct journal journal_of(struct scratch *s, struct locks *locks)
{
	struct str dir = scratch_str(s, "state/stet/journal");

	locks_init(locks, scratch_str(s, "state/stet/locks"));
	return (struct journal){ .dir = dir, .wait_ms = 10, .locks = locks };
}

/* A journal as a death would leave it beside @content. */
static void leave_journal(struct scratch *s, const char *content)
{
	auto_buf all = BUF_INIT;
	char name[PRIVATE_NAME];
	struct stat st;
	struct str path;

	scratch_put(s, "root/a", content);
	assert_int_equal(stat(scratch_path(s, "root/a"), &st), 0);
	private_name(st.st_dev, st.st_ino, name);
	buf_addf(&all, "stet journal 1\n%zu %zu\n/x/a\n", strlen(older),
		 strlen(newer));
	while (all.len < 8192)
		buf_addc(&all, '\0');
	buf_add(&all, str_of(older));
	buf_add(&all, str_of(newer));
	(void)mkdir(scratch_path(s, "state/stet"), 0700);
	(void)mkdir(scratch_path(s, "state/stet/journal"), 0700);
	path = arena_printf(&s->mem, "%s/state/stet/journal/%s", s->base, name);
	{
		auto_fd fd =
			fd_openat(AT_FDCWD, path.ptr, O_CREAT | O_WRONLY, 0600);

		assert_int_equal(fd_write(fd, buf_str(&all)), 0);
	}
}

/* A66 W60: what a death has left is put right by whoever comes next. */
static void a_torn_file_is_put_back_and_no_other(void **state)
{
	static const struct {
		const char *torn, *settled;
	} rules[] = {
		{ older, older },
		{ newer, newer },
		{ "new new old old", older },
		{ "new new new new", older }, /* not the last bytes */
		{ "new new old old new ", NULL },
		{ "new new ", older },
		{ "", older },
		{ "somebody else's", NULL },
		{ "new new new new new and more", NULL },
		{ "old old old old and more", NULL },
	};

	for (size_t i = 0; i < COUNT_OF(rules); i++) {
		const char *want =
			rules[i].settled ? rules[i].settled : rules[i].torn;
		auto_scratch s = scratch_make();
		struct str bytes;

		leave_journal(&s, rules[i].torn);
		assert_int_equal(scratch_load(&s, "root/a", &bytes), ERR_OK);
		assert_str(bytes, want);
		assert_string_equal(scratch_get(&s, "root/a"), want);
		assert_int_equal(scratch_names(&s, "state/stet/journal"), 0);
	}
}

static void pages_and_stores_settle_first_too(void **state)
{
	const struct page_want want = { .line = 1,
					.limit = 9,
					.max_cost = UINT64_MAX };
	auto_scratch s = scratch_make();
	struct page page;

	leave_journal(&s, "new new old old");
	assert_int_equal(ws_page(s.ws, scratch_str(&s, "root/a"), &want, NULL,
				 &s.mem, &page, &s.f),
			 ERR_OK);
	assert_str(page.text, older);
	leave_journal(&s, "new new old old");
	assert_int_equal(scratch_store_over(&s, "root/a", older, "next"),
			 ERR_OK);
	assert_string_equal(scratch_get(&s, "root/a"), "next");
	assert_int_equal(scratch_names(&s, "state/stet/journal"), 0);
}

/* A file is found by any of its names. */
static void the_other_name_of_a_torn_file_settles_it(void **state)
{
	auto_scratch s = scratch_make();
	struct str bytes;

	leave_journal(&s, "new new old old");
	assert_int_equal(link(scratch_path(&s, "root/a"),
			      scratch_path(&s, "root/b")),
			 0);
	assert_int_equal(scratch_load(&s, "root/b", &bytes), ERR_OK);
	assert_str(bytes, older);
}

/* X17: while it is being written nobody reads it. */
static void a_file_that_is_being_written_is_busy(void **state)
{
	auto_scratch s = scratch_make();
	const struct ws_local_options hasty = { .lock_wait_ms = 20 };
	auto_locks others;
	struct str bytes;
	auto_fd writer = -1;
	auto_lock held = LOCK_INIT;

	leave_journal(&s, "new new old old");
	writer = fd_openat(AT_FDCWD, scratch_path(&s, "root/a"), O_RDWR, 0);
	locks_init(&others, scratch_str(&s, "state/stet/locks"));
	assert_int_equal(lock_take(&held, &others, writer,
				   &(struct lock_wait){ .ms = 0 }, &s.f),
			 ERR_OK);
	ws_local_free(s.ws);
	s.ws = ws_local_new(&hasty);
	ws_local_roots(s.ws, &s.root, 1, STR(""), NULL);
	assert_int_equal(scratch_load(&s, "root/a", &bytes), ERR_BUSY);
	assert_string_equal(scratch_get(&s, "root/a"), "new new old old");
	lock_drop(&held);
	assert_int_equal(scratch_load(&s, "root/a", &bytes), ERR_OK);
	assert_str(bytes, older);
}

/* What is no journal of ours is not believed. */
static void a_broken_journal_changes_nothing(void **state)
{
	auto_scratch s = scratch_make();
	auto_locks locks;
	struct journal j = journal_of(&s, &locks);
	struct str bytes;
	auto_fd fd = -1;

	leave_journal(&s, "new new old old");
	assert_int_equal(chmod(scratch_path(&s, "state/stet/journal"), 0755),
			 0);
	fd = fd_openat(AT_FDCWD, scratch_path(&s, "root/a"), O_RDWR, 0);
	assert_int_equal(journal_settle(&j, fd, NULL), -1);
	assert_int_equal(errno, EPERM);
	fd_drop(&fd);
	assert_int_equal(scratch_load(&s, "root/a", &bytes), ERR_DENIED);
	assert_string_equal(scratch_get(&s, "root/a"), "new new old old");
}

static int write_over(const struct journal *j, int fd, const struct hash *base,
		      const char *bytes)
{
	const struct journal_want want = { .path = STR("/a"),
					   .base = base,
					   .bytes = str_of(bytes) };

	return journal_write(j, fd, &want);
}

static void writing_needs_the_base(void **state)
{
	auto_scratch s = scratch_make();
	auto_locks locks;
	struct journal j = journal_of(&s, &locks);
	struct hash other = hash_of(STR("other")), same = hash_of(STR("x"));
	auto_fd fd = -1;

	scratch_put(&s, "root/a", "x");
	fd = fd_openat(AT_FDCWD, scratch_path(&s, "root/a"), O_RDWR, 0);
	assert_int_equal(write_over(&j, fd, &other, "y"), -1);
	assert_int_equal(errno, ESTALE);
	assert_string_equal(scratch_get(&s, "root/a"), "x");
	assert_int_equal(write_over(&j, fd, &same, "yy"), 0);
	assert_string_equal(scratch_get(&s, "root/a"), "yy");
	assert_int_equal(write_over(&j, fd, NULL, ""), 0);
	assert_string_equal(scratch_get(&s, "root/a"), "");
	assert_int_equal(scratch_names(&s, "state/stet/journal"), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_torn_file_is_put_back_and_no_other),
		cmocka_unit_test(pages_and_stores_settle_first_too),
		cmocka_unit_test(the_other_name_of_a_torn_file_settles_it),
		cmocka_unit_test(a_file_that_is_being_written_is_busy),
		cmocka_unit_test(a_broken_journal_changes_nothing),
		cmocka_unit_test(writing_needs_the_base),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
