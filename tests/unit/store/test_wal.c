/*
 * test_wal.c - the write-ahead log: crashes, damage, refusal of the database.
 *
 * What a reader does with the logs of other processes is in test_wal_read.c.
 */
#include "state.h"

#include "store/wal_file.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { OPS = 30, MANY = 400, FLIPS = 300, LONG = 5000 };

static size_t count_logs(struct state *s)
{
	DIR *dir = opendir(state_path(s, WAL_DIR));
	struct dirent *entry;
	size_t n = 0;

	while (dir && (entry = readdir(dir)))
		n += entry->d_name[0] != '.';
	if (dir)
		(void)closedir(dir);
	return n;
}

/* What the child has done, seen by both. */
struct seen {
	struct uuid ids[MANY + 1];
	size_t n;
};

static struct seen *seen;

static int share(void **state)
{
	seen = mmap(NULL, sizeof(*seen), PROT_READ | PROT_WRITE,
		    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	return seen == MAP_FAILED;
}

static int unshare_it(void **state)
{
	return munmap(seen, sizeof(*seen));
}

static struct str content(struct state *s, size_t i, char side)
{
	size_t len = i % 7 ? 20 + i : LONG;
	char *to = arena_alloc(&s->mem, len);

	memset(to, side, len);
	(void)snprintf(to, len, "%c %zu", side, i);
	return str_make(to, len);
}

/* While this lock is held nothing is committed: all stay in the segments. */
static void hold_database(struct state *s)
{
	sqlite3 *sql = state_open_db(s);

	if (sqlite3_exec(sql, "BEGIN IMMEDIATE", NULL, NULL, NULL))
		_exit(2);
}

/*
 * A process that writes intents and ends on "/a", the last without an end, and
 * is killed.
 */
static void write_and_die(struct state *s, size_t n)
{
	s->store = store_new(&s->options);
	(void)state_wal(s);
	if (n == OPS)
		hold_database(s);
	for (size_t i = 0; i <= n; i++) {
		struct op op = { .kind = OP_UPDATE,
				 .path = STR("/a"),
				 .tool = STR("a tool"),
				 .existed = true,
				 .exists = true,
				 .bytes_before = i };
		struct str after = content(s, i, 'a');
		struct history_ticket ticket;

		history_begin(s->store, &op, content(s, i, 'b'),
			      (struct str){ 0 }, &ticket);
		if (history_wait(s->store, ticket, &s->f))
			_exit(1);
		seen->ids[seen->n++] = op.id;
		if (i < n)
			history_end(s->store, &op, OP_DONE, &after);
	}
	(void)raise(SIGKILL);
}

static void have_it_die(struct state *s, size_t n)
{
	pid_t child;
	int status;

	store_free(s->store);
	s->store = NULL;
	seen->n = 0;
	child = fork();
	if (!child)
		write_and_die(s, n);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
	assert_int_equal(seen->n, n + 1);
}

/* All that is on "/a", newest first. */
static struct op *list_all(struct state *s, size_t *ret)
{
	const struct history_query q = { .path = STR("/a"),
					 .intents = true,
					 .limit = 10 * MANY };
	struct op *list;

	assert_int_equal(history_list(s->store, &q, &s->mem, &list, ret, &s->f),
			 ERR_OK);
	return list;
}

static void check_one(struct state *s, const struct op *op, size_t i, bool last)
{
	assert_true(uuid_eq(op->id, seen->ids[i]));
	assert_int_equal(op->state, last ? OP_INTENT : OP_DONE);
	assert_int_equal(op->bytes_before, i);
	assert_str(op->tool, "a tool");
	assert_true(state_holds(s, op, HISTORY_BEFORE, content(s, i, 'b')));
	assert_int_equal(state_holds(s, op, HISTORY_AFTER, content(s, i, 'a')),
			 !last);
}

static void check_all(struct state *s)
{
	struct op *list, *open;
	size_t n, n_open;

	list = list_all(s, &n);
	assert_int_equal(n, seen->n);
	for (size_t i = 0; i < n; i++)
		check_one(s, &list[n - 1 - i], i, i == n - 1);
	assert_int_equal(history_open_intents(s->store, (struct uuid){ 0 },
					      SIZE_MAX, &s->mem, &open, &n_open,
					      &s->f),
			 ERR_OK);
	assert_true(n_open >= 1);
	assert_true(uuid_eq(open[n_open - 1].id, list[0].id));
}

/* C83 */
static void after_a_death_all_that_was_waited_for_is_there(void **state)
{
	for (int i = 0; i < 4; i++) {
		auto_state s = state_make();

		s.options.durable = i % 2;
		have_it_die(&s, i < 2 ? OPS : MANY);
		assert_int_equal(count_logs(&s), 1);
		s.store = store_new(&s.options);
		check_all(&s);
		assert_int_equal(count_logs(&s), 0);
		state_again(&s);
		check_all(&s);
	}
}

static void who_only_looks_sees_it_too(void **state)
{
	auto_state s = state_make();

	have_it_die(&s, OPS);
	s.options.read_only = true;
	s.store = store_new(&s.options);
	check_all(&s);
}

static int look_as_nobody(struct state *s)
{
	const struct history_query q = { .path = STR("/wal"), .limit = 10 };
	struct store *look;
	struct op *list;
	size_t n = 0;

	s->store = store_new(&s->options);
	(void)state_wal(s);
	need(!chmod(state_path(s, WAL_DIR), 0500));
	need(!chmod(state_path(s, "history.db"), 0400));
	s->options.read_only = true;
	look = store_new(&s->options);
	need(!history_list(look, &q, &s->mem, &list, &n, &s->f));
	need(n);
	store_free(look);
	return 0;
}

/* A reader without write permission sees what the database has. */
static void a_look_does_not_fail_for_it(void **state)
{
	auto_state s = state_make();

	store_free(s.store);
	s.store = NULL;
	assert_int_equal(state_as_nobody(&s, look_as_nobody), 0);
}

static void copy_file(const char *from, const char *to)
{
	static char bytes[WAL_SIZE];
	FILE *in = fopen(from, "r"), *out = fopen(to, "w");
	size_t n;

	assert_non_null(in);
	assert_non_null(out);
	n = fread(bytes, 1, sizeof(bytes), in);
	assert_int_equal(fwrite(bytes, 1, n, out), n);
	assert_int_equal(fclose(in), 0);
	assert_int_equal(fclose(out), 0);
}

static void flip(const char *path, off_t at)
{
	int fd = open(path, O_RDWR);
	char c = 0;

	assert_true(fd >= 0);
	(void)!pread(fd, &c, 1, at);
	c = (char)(c ^ (1 << at % 8));
	assert_int_equal(pwrite(fd, &c, 1, at), 1);
	assert_int_equal(close(fd), 0);
}

static char log_path[PATH_MAX];

static const char *only_log(struct state *s)
{
	DIR *dir = opendir(state_path(s, WAL_DIR));
	struct dirent *entry;

	assert_non_null(dir);
	while ((entry = readdir(dir)) && entry->d_name[0] == '.')
		;
	assert_non_null(entry);
	(void)snprintf(log_path, sizeof(log_path), "%s/%s",
		       state_path(s, WAL_DIR), entry->d_name);
	assert_int_equal(closedir(dir), 0);
	return log_path;
}

/* How many operations there are, after checking each; *@first of @seen. */
static size_t count_sound(struct state *s, size_t *first)
{
	struct op *list;
	size_t n, at = 0;

	list = list_all(s, &n);
	while (n && !uuid_eq(list[n - 1].id, seen->ids[at]))
		assert_true(++at < seen->n);
	for (size_t i = 0; i < n; i++)
		check_one(s, &list[n - 1 - i], at + i,
			  list[n - 1 - i].state == OP_INTENT);
	*first = at;
	return n;
}

/* Records before the damage count; a damaged one never does. */
static void a_damaged_log_gives_what_is_sound(void **state)
{
	auto_state s = state_make();
	size_t first, whole = 0, least = SIZE_MAX, n = 0;
	const char *log;

	have_it_die(&s, OPS);
	log = only_log(&s);
	copy_file(log, state_path(&s, "../kept"));
	s.store = store_new(&s.options);
	(void)list_all(&s, &n);
	assert_int_equal(n, seen->n);
	for (off_t at = 0; n && at < FLIPS; at++) {
		state_run(&s, "DELETE FROM op");
		copy_file(state_path(&s, "../kept"), log);
		if (at) /* the first time it is whole */
			flip(log, wal_segment_at(at % 2) + at / 2 * 193);
		n = count_sound(&s, &first);
		if (!at)
			whole = n;
		assert_true(n <= whole);
		least = size_min(least, n);
		n = whole;
	}
	assert_true(whole > 1);
	assert_true(least < whole);
}

/* The log of a living process is read and not removed. */
static void a_living_log_is_read_and_left(void **state)
{
	auto_state s = state_make();
	struct state other = { .options = s.options };
	const char *log = state_wal(&s);
	size_t n;

	other.store = store_new(&other.options);
	for (size_t i = 1; i <= OPS; i++) {
		(void)state_op(&s, "/a", "w", "x");
		(void)list_all(&other, &n);
		assert_int_equal(n, i);
		assert_int_equal(access(log, F_OK), 0);
	}
	(void)list_all(&s,
		       &n); /* the owner commits what was replayed already */
	assert_int_equal(n, OPS);
	assert_int_equal(state_number(&s, "SELECT count(*) FROM op"
					  " WHERE path = '/a' AND state = 1"),
			 OPS);
	store_free(other.store);
	arena_free(&other.mem);
	state_again(&s);
	assert_int_equal(count_logs(&s), 0);
}

/* An end from a log does not change an operation that has ended. */
static void what_is_taken_in_changes_nothing_that_is_there(void **state)
{
	auto_state s = state_make();
	const char *log = state_wal(&s), *kept;
	struct op op = state_op(&s, "/a", "w", "x"), got;

	(void)state_op(&s, "/b", "w",
		       "x"); /* the end of the first is in the log now */
	kept = state_path(&s, "kept");
	copy_file(log, kept);
	state_again(&s);
	state_run(&s, "UPDATE op SET state = 2, mode_after = 1");
	copy_file(kept, log);
	assert_int_equal(
		history_find(s.store,
			     arena_printf(&s.mem,
					  "%02x%02x%02x%02x"
					  "%02x%02x%02x%02x",
					  op.id.bytes[0], op.id.bytes[1],
					  op.id.bytes[2], op.id.bytes[3],
					  op.id.bytes[4], op.id.bytes[5],
					  op.id.bytes[6], op.id.bytes[7]),
			     &s.mem, &got, &s.f),
		ERR_OK);
	assert_int_equal(got.state, OP_FAILED);
	assert_int_equal(got.mode_after, 1);
	assert_int_equal(count_logs(&s), 0);
}

static void a_log_of_another_kind_is_left(void **state)
{
	auto_state s = state_make();
	const char *name = WAL_DIR "/01890a5d-ac96-774b-bcce-b302099a8057";
	const char *path = state_path(&s, name);
	FILE *file;

	(void)state_op(&s, "/a", "w", "x");
	assert_int_equal(mkdir(state_path(&s, WAL_DIR), 0700), 0);
	file = fopen(path, "w");
	assert_non_null(file);
	assert_true(fputs("daybook9 and what it holds", file) >= 0);
	assert_int_equal(fclose(file), 0);
	state_again(&s);
	assert_int_equal(store_usable(s.store, &s.f), ERR_OK);
	assert_int_equal(access(path, F_OK), 0);
}

/* Write until ERR_STORE; how many operations were confirmed before. */
static size_t write_in_vain(struct state *s)
{
	enum err e = ERR_OK;
	struct op op;
	size_t n = 0;

	(void)state_wal(s);
	state_run(s, "CREATE TRIGGER no BEFORE INSERT ON op"
		     " BEGIN SELECT RAISE(ABORT, 'no'); END");
	for (int i = 0; i < 1000 && !e; i++) {
		e = state_try_op(s, "/a", STR("w"), STR("x"), &op);
		n += !e;
		(void)usleep(1000);
	}
	assert_int_equal(e, ERR_STORE);
	assert_true(n > 0);
	return n;
}

/*
 * Confirmed operations that the database refuses stay in the log, and no new
 * one is confirmed.
 */
static void what_cannot_be_carried_over_stays(void **state)
{
	auto_state s = state_make();
	size_t n, there;

	n = write_in_vain(&s);
	store_free(s.store);
	s.store = NULL;
	assert_int_equal(state_number(&s, "SELECT count(*) FROM op"
					  " WHERE path = '/a'"),
			 0);
	assert_int_equal(count_logs(&s), 1);
	state_run(&s, "DROP TRIGGER no");
	s.store = store_new(&s.options);
	(void)list_all(&s, &there);
	assert_int_equal(there, n);
	assert_int_equal(count_logs(&s), 0);
}

/* When the database works again, they are committed. */
static void what_could_not_be_carried_over_is_tried_again(void **state)
{
	auto_state s = state_make();
	size_t n, there = 0;
	struct op op;

	n = write_in_vain(&s);
	state_run(&s, "DROP TRIGGER no");
	for (int i = 0; i < 1000 && there < n; i++) {
		(void)usleep(10 * 1000);
		there = (size_t)state_number(&s, "SELECT count(*) FROM op WHERE"
						 " path = '/a' AND state = 1");
	}
	assert_int_equal(there, n);
	assert_int_equal(state_try_op(&s, "/a", STR("w"), STR("x"), &op),
			 ERR_OK);
	state_again(&s);
	assert_int_equal(count_logs(&s), 0);
}

static void without_a_log_all_goes_on(void **state)
{
	auto_state s = state_make();
	FILE *file;

	(void)state_op(&s, "/a", "w", "x");
	file = fopen(state_path(&s, WAL_DIR), "w");
	assert_non_null(file);
	assert_int_equal(fclose(file), 0);
	for (int i = 0; i < MANY; i++)
		(void)state_op(&s, "/a", "w", "x");
	state_again(&s);
	assert_int_equal(state_number(&s, "SELECT count(*) FROM op"
					  " WHERE state = 1"),
			 1 + MANY);
}

/* The log was deleted: the next operations are transactions. */
static void a_log_that_is_gone_is_not_used(void **state)
{
	auto_state s = state_make();
	const char *log = state_wal(&s);
	static char before[WAL_SIZE], after[WAL_SIZE];
	int fd = open(log, O_RDONLY);
	ssize_t n;

	assert_true(fd >= 0);
	assert_int_equal(unlink(log), 0);
	(void)state_op(&s, "/a", "w", "x");
	assert_int_equal(store_usable(s.store, &s.f), ERR_OK);
	n = pread(fd, before, sizeof(before), 0);
	assert_true(n > 0);
	for (int i = 0; i < OPS; i++)
		(void)state_op(&s, "/a", "w", "x");
	assert_int_equal(pread(fd, after, sizeof(after), 0), n);
	assert_memory_equal(before, after, (size_t)n);
	assert_int_equal(close(fd), 0);
	state_again(&s);
	assert_int_equal(state_number(&s, "SELECT count(*) FROM op WHERE"
					  " path = '/a' AND state = 1"),
			 1 + OPS);
}

/* An end is visible to other stores when history_end() returns. */
static void an_end_is_seen_by_others_at_once(void **state)
{
	auto_state s = state_make();
	struct state other = { .options = s.options };

	(void)state_wal(&s);
	other.store = store_new(&other.options);
	for (int i = 0; i < OPS; i++) {
		struct op op = state_op(&s, "/a", "w", "x"), got;

		assert_int_equal(history_last(other.store, STR("/a"),
					      &other.mem, &got, &other.f),
				 ERR_OK);
		assert_true(uuid_eq(got.id, op.id));
	}
	store_free(other.store);
	arena_free(&other.mem);
}

/* Segments are recycled. */
static void a_log_does_not_grow(void **state)
{
	for (int durable = 0; durable < 2; durable++) {
		auto_state s = state_make();
		char large[30000];
		const char *log;
		struct stat st;

		s.options.durable = durable;
		state_again(&s);
		memset(large, 'x', sizeof(large));
		large[sizeof(large) - 1] = '\0';
		log = state_wal(&s);
		for (int i = 0; i < MANY; i++) {
			large[0] = (char)('a' + i % 26); /* all different */
			large[1] = (char)('a' + i / 26);
			(void)state_op(&s, "/a", large, "x");
		}
		assert_int_equal(stat(log, &st), 0);
		assert_true(st.st_size <= WAL_SIZE + 64 * 1024);
		state_again(&s);
		assert_int_equal(state_number(&s,
					      "SELECT count(*) FROM op WHERE"
					      " path = '/a' AND state = 1"),
				 MANY);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			after_a_death_all_that_was_waited_for_is_there),
		cmocka_unit_test(who_only_looks_sees_it_too),
		cmocka_unit_test(a_look_does_not_fail_for_it),
		cmocka_unit_test(a_damaged_log_gives_what_is_sound),
		cmocka_unit_test(a_living_log_is_read_and_left),
		cmocka_unit_test(
			what_is_taken_in_changes_nothing_that_is_there),
		cmocka_unit_test(a_log_of_another_kind_is_left),
		cmocka_unit_test(what_cannot_be_carried_over_stays),
		cmocka_unit_test(what_could_not_be_carried_over_is_tried_again),
		cmocka_unit_test(without_a_log_all_goes_on),
		cmocka_unit_test(a_log_that_is_gone_is_not_used),
		cmocka_unit_test(an_end_is_seen_by_others_at_once),
		cmocka_unit_test(a_log_does_not_grow),
	};

	return cmocka_run_group_tests(tests, share, unshare_it);
}
