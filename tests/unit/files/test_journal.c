/*
 * test_journal.c - recovery of files that were being written in place.
 */
#include "scratch.h"

#include "base/fd.h"
#include "files/journal.h"
#include "files/locks.h"
#include "files/private_dir.h"

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

static struct str journal_path(struct scratch *s, const char *file)
{
	char name[PRIVATE_DIR_NAME];
	struct stat st;

	assert_int_equal(stat(scratch_path(s, file), &st), 0);
	private_dir_name(st.st_dev, st.st_ino, name);
	return arena_printf(&s->mem, "%s/state/stet/journal/%s", s->base, name);
}

/* A journal for @name whose header claims these lengths. */
static struct str journal_saying(struct scratch *s, const char *name,
				 uint64_t old_len, uint64_t new_len)
{
	uint64_t facts[] = { old_len, new_len, 0, 0 };
	auto_buf all = BUF_INIT, summed = BUF_INIT;
	struct statx sx;

	assert_int_equal(statx(AT_FDCWD, scratch_path(s, name), 0, STATX_BTIME,
			       &sx),
			 0);
	if (sx.stx_mask & STATX_BTIME) {
		facts[2] = (uint64_t)sx.stx_btime.tv_sec;
		facts[3] = sx.stx_btime.tv_nsec;
	}
	buf_add(&summed, str_make((const char *)facts, sizeof(facts)));
	buf_addf(&summed, "%s%s", older, newer);
	buf_addf(&all,
		 "stet journal 2\n%llu %llu %llu %llu\n" STR_FMT "\n/x/a\n",
		 (unsigned long long)old_len, (unsigned long long)new_len,
		 (unsigned long long)facts[2], (unsigned long long)facts[3],
		 STR_ARG(hash_text(hash_of(buf_str(&summed)), &s->mem)));
	while (all.len < 8192)
		buf_addc(&all, '\0');
	buf_addf(&all, "%s%s", older, newer);
	return arena_copy(&s->mem, buf_str(&all));
}

/* A valid journal, as a crash during the write leaves it. */
static struct str journal_bytes(struct scratch *s, const char *name)
{
	return journal_saying(s, name, strlen(older), strlen(newer));
}

static void put_journal(struct scratch *s, const char *name, struct str bytes)
{
	static const int flags = O_CREAT | O_TRUNC | O_WRONLY;
	auto_fd fd = -1;

	(void)mkdir(scratch_path(s, "state/stet"), 0700);
	(void)mkdir(scratch_path(s, "state/stet/journal"), 0700);
	fd = fd_openat(AT_FDCWD, journal_path(s, name).ptr, flags, 0600);
	assert_int_equal(fd_write(fd, bytes), 0);
}

static void leave_journal(struct scratch *s, const char *content)
{
	scratch_put(s, "root/a", content);
	put_journal(s, "root/a", journal_bytes(s, "root/a"));
}

/* A66 W60: the next access recovers a file that a crash has left torn. */
static void only_a_torn_file_is_restored(void **state)
{
	static const struct {
		const char *torn, *recovered;
	} rules[] = {
		{ older, older },
		{ newer, newer },
		{ "new new old old", older },
		{ "new new new new", older }, /* not the last bytes */
		{ "new new old old new ", NULL },
		{ "new new ", NULL }, /* shorter than our write makes it */
		{ "", NULL },
		{ "somebody else's", NULL },
		{ "new new new new new and more", NULL },
		{ "old old old old and more", NULL },
	};

	for (size_t i = 0; i < COUNT_OF(rules); i++) {
		const char *want =
			rules[i].recovered ? rules[i].recovered : rules[i].torn;
		auto_scratch s = scratch_make();
		struct str bytes;

		leave_journal(&s, rules[i].torn);
		assert_int_equal(scratch_load(&s, "root/a", &bytes), ERR_OK);
		assert_str(bytes, want);
		assert_string_equal(scratch_get(&s, "root/a"), want);
		assert_int_equal(scratch_names(&s, "state/stet/journal"), 0);
	}
}

static void pages_and_stores_recover_first_too(void **state)
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

/* A journal is found through any hard link of its file. */
static void a_torn_file_is_recovered_through_another_hard_link(void **state)
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

/* X17 */
static void a_file_that_is_being_written_is_busy(void **state)
{
	auto_scratch s = scratch_make();
	const struct ws_local_options hasty = { .lock_wait_ms = 20 };
	auto_locks others;
	struct str bytes;
	auto_fd writer = -1;
	auto_file_lock held = FILE_LOCK_INIT;

	leave_journal(&s, "new new old old");
	writer = fd_openat(AT_FDCWD, scratch_path(&s, "root/a"), O_RDWR, 0);
	locks_init(&others, scratch_str(&s, "state/stet/locks"));
	assert_int_equal(file_lock_take(&held, &others, writer,
					&(struct file_lock_wait){ .ms = 0 },
					&s.f),
			 ERR_OK);
	ws_local_free(s.ws);
	s.ws = ws_local_new(&hasty);
	ws_local_roots(s.ws, &s.root, 1, STR(""), NULL);
	assert_int_equal(scratch_load(&s, "root/a", &bytes), ERR_BUSY);
	assert_string_equal(scratch_get(&s, "root/a"), "new new old old");
	file_lock_drop(&held);
	assert_int_equal(scratch_load(&s, "root/a", &bytes), ERR_OK);
	assert_str(bytes, older);
}

/* Its directory is open to other users, so the journal is not trusted. */
static void a_journal_in_an_open_directory_is_refused(void **state)
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
	assert_int_equal(journal_recover(&j, fd, NULL), -1);
	assert_int_equal(errno, EPERM);
	fd_drop(&fd);
	assert_int_equal(scratch_load(&s, "root/a", &bytes), ERR_DENIED);
	assert_string_equal(scratch_get(&s, "root/a"), "new new old old");
}

/* With @bytes as its journal, root/a is unchanged and they are set aside. */
static void check_aside(struct scratch *s, struct str bytes)
{
	static const char torn[] = "new new old old";
	struct str got;

	put_journal(s, "root/a", bytes);
	assert_int_equal(scratch_load(s, "root/a", &got), ERR_OK);
	assert_str(got, torn);
	assert_string_equal(scratch_get(s, "root/a"), torn);
	assert_int_equal(scratch_names(s, "state/stet/journal"), 1);
	assert_int_equal(unlink(arena_printf(&s->mem, STR_FMT ".damaged",
					     STR_ARG(journal_path(s, "root/a")))
					.ptr),
			 0);
}

/* Truncated at any byte, or with any byte changed. */
static void a_damaged_journal_is_set_aside(void **state)
{
	enum { HEAD = 200, STEP = 509 };
	auto_scratch s = scratch_make();
	struct str whole, bytes;
	char *changed;
	size_t path;

	leave_journal(&s, "new new old old");
	whole = journal_bytes(&s, "root/a");
	path = str_find(whole, '/');
	for (size_t i = 0; i < whole.len;
	     i += i < HEAD || i >= 8192 - 2 ? 1 : STEP)
		check_aside(&s, str_head(whole, i));
	for (size_t i = 0; i < whole.len; i++) {
		if (i ==
		    path) /* the checksum does not cover the path and the padding */
			i = 8192;
		changed = arena_alloc(&s.mem, whole.len);
		memcpy(changed, whole.ptr, whole.len);
		changed[i] ^= 1;
		check_aside(&s, str_make(changed, whole.len));
	}
	bytes = arena_printf(&s.mem, STR_FMT "x", STR_ARG(whole));
	check_aside(&s, bytes);
	/* The undamaged journal is still applied. */
	put_journal(&s, "root/a", whole);
	assert_int_equal(scratch_load(&s, "root/a", &bytes), ERR_OK);
	assert_str(bytes, older);
}

/* Lengths whose sum overflows, or does not fit the size of the journal. */
static void wrong_lengths_in_a_journal_are_refused(void **state)
{
	static const uint64_t lengths[][2] = {
		{ UINT64_MAX, 35 },
		{ 35, UINT64_MAX },
		{ UINT64_MAX - 8191, 8226 },
		{ (uint64_t)1 << 63, (uint64_t)1 << 63 },
		{ 15, 20 },
		{ 16, 19 },
		{ 0, 0 },
	};
	auto_scratch s = scratch_make();

	leave_journal(&s, "new new old old");
	for (size_t i = 0; i < COUNT_OF(lengths); i++)
		check_aside(&s, journal_saying(&s, "root/a", lengths[i][0],
					       lengths[i][1]));
}

/* The inode number of a deleted file was reused: the birth time differs. */
static void a_journal_of_another_file_is_set_aside(void **state)
{
	auto_scratch s = scratch_make();
	struct statx mine, other;
	struct str got;

	scratch_put(&s, "root/b", older);
	scratch_put(&s, "root/a", "new new old old");
	assert_int_equal(statx(AT_FDCWD, scratch_path(&s, "root/a"), 0,
			       STATX_BTIME, &mine),
			 0);
	assert_int_equal(statx(AT_FDCWD, scratch_path(&s, "root/b"), 0,
			       STATX_BTIME, &other),
			 0);
	if (!memcmp(&mine.stx_btime, &other.stx_btime, sizeof(mine.stx_btime)))
		return; /* no, or too coarse, birth times here */
	check_aside(&s, journal_bytes(&s, "root/b"));
	put_journal(&s, "root/a", journal_bytes(&s, "root/a"));
	assert_int_equal(scratch_load(&s, "root/a", &got), ERR_OK);
	assert_str(got, older);
}

/* A FIFO is not waited for, a symlink not followed. */
static void only_a_regular_file_is_a_journal(void **state)
{
	auto_scratch s = scratch_make();
	struct str bytes, path;

	leave_journal(&s, "new new old old");
	path = journal_path(&s, "root/a");
	for (int kind = 0; kind < 2; kind++) {
		assert_int_equal(unlink(path.ptr), 0);
		assert_int_equal(kind ? mkfifo(path.ptr, 0600)
				      : symlink("/dev/zero", path.ptr),
				 0);
		assert_int_equal(scratch_load(&s, "root/a", &bytes), ERR_OK);
		assert_str(bytes, "new new old old");
		assert_int_equal(scratch_names(&s, "state/stet/journal"), 0);
		put_journal(&s, "root/a", STR(""));
	}
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
		cmocka_unit_test(only_a_torn_file_is_restored),
		cmocka_unit_test(pages_and_stores_recover_first_too),
		cmocka_unit_test(
			a_torn_file_is_recovered_through_another_hard_link),
		cmocka_unit_test(a_file_that_is_being_written_is_busy),
		cmocka_unit_test(a_journal_in_an_open_directory_is_refused),
		cmocka_unit_test(a_damaged_journal_is_set_aside),
		cmocka_unit_test(wrong_lengths_in_a_journal_are_refused),
		cmocka_unit_test(a_journal_of_another_file_is_set_aside),
		cmocka_unit_test(only_a_regular_file_is_a_journal),
		cmocka_unit_test(writing_needs_the_base),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
