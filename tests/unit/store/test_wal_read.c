/*
 * test_wal_read.c - what a reader does with the logs of other processes.
 *
 * Nothing that another process has confirmed may be missed, and a log that has
 * not changed is not read again: struct wal_reader counts.
 */
#include "state.h"

#include "store/local.h"
#include "store/wal_file.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { OPS = 30, LOOKS = 50, TURNS = 120, LONG = 20000, LOGS = 20 };

/* The other process: writes on request, and reports what it wrote. */
struct peer {
	pid_t pid;
	int tell, said;
};

static void peer_run(struct state *s, int told, int say)
{
	static char bytes[LONG];
	char go;

	s->store = store_new(&s->options);
	(void)state_wal(s);
	for (size_t i = 0; read(told, &go, 1) == 1; i++) {
		const size_t len = i % 3 ? i + 1 : sizeof(bytes);
		struct op op;

		memset(bytes, 'a' + (int)(i % 26), sizeof(bytes));
		(void)snprintf(bytes, sizeof(bytes), "%zu", i);
		if (state_try_op(s, "/a", str_make(bytes, len), STR("x"), &op))
			_exit(1);
		if (write(say, &op.id, sizeof(op.id)) != sizeof(op.id))
			_exit(2);
	}
	store_free(s->store);
	_exit(0);
}

static struct peer peer_start(struct state *s)
{
	int there[2], back[2];
	struct peer p;

	assert_int_equal(pipe2(there, O_CLOEXEC), 0);
	assert_int_equal(pipe2(back, O_CLOEXEC), 0);
	store_free(s->store);
	s->store = NULL;
	p.pid = fork();
	if (!p.pid) {
		(void)close(there[1]);
		peer_run(s, there[0], back[1]);
	}
	assert_true(p.pid > 0);
	assert_int_equal(close(there[0]), 0);
	assert_int_equal(close(back[1]), 0);
	p.tell = there[1];
	p.said = back[0];
	s->store = store_new(&s->options);
	return p;
}

static struct uuid peer_write(struct peer *p)
{
	struct uuid id;

	assert_int_equal(write(p->tell, "", 1), 1);
	assert_int_equal(read(p->said, &id, sizeof(id)), sizeof(id));
	return id;
}

static void peer_stop(struct peer *p)
{
	int status;

	assert_int_equal(close(p->tell), 0);
	assert_int_equal(waitpid(p->pid, &status, 0), p->pid);
	assert_int_equal(status, 0);
	assert_int_equal(close(p->said), 0);
}

/*
 * Is the newest operation on "/a" the one called @id? An end that comes while
 * the log is being synced is not in the log: it is seen when it is committed.
 */
static void sees(struct state *s, struct uuid id)
{
	const struct history_query q = { .path = STR("/a"),
					 .intents = true,
					 .limit = 1 };
	struct op *op;
	size_t n;

	assert_int_equal(history_list(s->store, &q, &s->mem, &op, &n, &s->f),
			 ERR_OK);
	assert_int_equal(n, 1);
	assert_true(uuid_eq(op->id, id));
	if (!s->options.durable)
		assert_int_equal(op->state, OP_DONE);
}

/* Contents are such that the log switches its segment now and then. */
static void what_another_process_writes_is_seen_at_once(void **state)
{
	for (int i = 0; i < 4; i++) {
		auto_state s = state_make();
		struct peer p;

		s.options.durable = i % 2;
		state_again(&s);
		p = peer_start(&s);
		sees(&s, peer_write(&p)); /* the directory is there */
		if (i / 2) {
			s.options.read_only = true;
			state_again(&s);
		}
		for (int n = 0; n < TURNS; n++) {
			struct uuid id = peer_write(&p);

			sees(&s, id);
			if (n % 10 == 0)
				(void)usleep(60 * 1000); /* it is committed */
			sees(&s, id);
		}
		peer_stop(&p);
	}
}

/* Timestamps have a granularity: many logs come and go within one tick. */
static void a_log_that_was_just_made_is_seen_at_once(void **state)
{
	auto_state s = state_make();

	for (int i = 0; i < LOGS; i++) {
		struct state other = { .options = s.options, .dir = s.dir };
		struct op op;

		other.store = store_new(&other.options);
		(void)state_wal(&other);
		for (int n = 0; n < 3; n++) {
			op = state_op(&other, "/a", "w", "x");
			sees(&s, op.id);
		}
		store_free(other.store);
		sees(&s, op.id);
		arena_free(&other.mem);
	}
}

static void write_and_die(struct state *s)
{
	sqlite3 *sql;

	s->store = store_new(&s->options);
	(void)state_wal(s);
	sql = state_open_db(s);
	if (sqlite3_exec(sql, "BEGIN IMMEDIATE", NULL, NULL, NULL))
		_exit(2);
	for (int i = 0; i < OPS; i++)
		(void)state_op(s, "/a", "w", "x");
	(void)raise(SIGKILL);
}

static char log_path[PATH_MAX];

/*
 * A log that has records, at log_path; returns a descriptor with its lock, as
 * if its owner was alive.
 */
static int leave_log(struct state *s)
{
	struct dirent *entry;
	pid_t child;
	int status, fd;
	DIR *dir;

	store_free(s->store);
	s->store = NULL;
	child = fork();
	if (!child)
		write_and_die(s);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
	dir = opendir(state_path(s, WAL_DIR));
	assert_non_null(dir);
	while ((entry = readdir(dir)))
		if (entry->d_name[0] != '.')
			(void)snprintf(log_path, sizeof(log_path), "%s/%s",
				       state_path(s, WAL_DIR), entry->d_name);
	assert_int_equal(closedir(dir), 0);
	fd = open(log_path, O_RDWR | O_CLOEXEC);
	assert_true(fd >= 0);
	assert_int_equal(flock(fd, LOCK_EX | LOCK_NB), 0);
	s->store = store_new(&s->options);
	return fd;
}

static size_t count_ops(struct state *s)
{
	const struct history_query q = { .path = STR("/a"),
					 .intents = true,
					 .limit = 10 * OPS };
	struct op *list;
	size_t n;

	assert_int_equal(history_list(s->store, &q, &s->mem, &list, &n, &s->f),
			 ERR_OK);
	return n;
}

static void a_log_is_read_once(void **state)
{
	for (int read_only = 0; read_only < 2; read_only++) {
		auto_state s = state_make();
		const struct wal_reader *r;
		int fd = leave_log(&s);
		uint64_t before;

		s.options.read_only = read_only;
		state_again(&s);
		r = &s.store->shared_db.wal_reader;
		assert_int_equal(count_ops(&s), OPS);
		before = r->segments_read;
		assert_true(before > 0);
		for (int i = 0; i < LOOKS; i++)
			assert_int_equal(count_ops(&s), OPS);
		assert_int_equal(r->segments_read, before);
		assert_int_equal(close(fd), 0);
	}
}

/* The records are in the log only: another database has to get them, too. */
static void another_database_gets_what_the_logs_have(void **state)
{
	auto_state s = state_make();
	int fd = leave_log(&s);

	assert_int_equal(count_ops(&s), OPS);
	assert_int_equal(unlink(state_path(&s, "history.db")), 0);
	(void)unlink(state_path(&s, "history.db-wal"));
	(void)unlink(state_path(&s, "history.db-shm"));
	assert_int_equal(count_ops(&s), OPS);
	assert_int_equal(close(fd), 0);
}

/* When its owner has died the log is removed, though it was read before. */
static void the_log_of_a_dead_process_goes(void **state)
{
	auto_state s = state_make();
	int fd = leave_log(&s);
	struct stat st;

	assert_int_equal(count_ops(&s), OPS);
	assert_int_equal(fstat(fd, &st), 0);
	assert_int_equal(st.st_nlink, 1);
	assert_int_equal(flock(fd, LOCK_UN), 0);
	assert_int_equal(count_ops(&s), OPS);
	assert_int_equal(fstat(fd, &st), 0);
	assert_int_equal(st.st_nlink, 0);
	assert_int_equal(close(fd), 0);
}

/*
 * Before Linux 6.13 the directory has the same timestamps as at the last look.
 */
static void a_log_that_comes_within_one_tick_is_seen(void **state)
{
	auto_state s = state_make();
	const char *dir = state_path(&s, WAL_DIR), *away;
	int fd = leave_log(&s);

	away = state_path(&s, "away");
	assert_int_equal(count_ops(&s), OPS);
	for (int i = 0; i < LOOKS; i++) {
		assert_int_equal(rename(log_path, away), 0);
		state_run(&s, "DELETE FROM op");
		assert_int_equal(chmod(dir, 0700), 0); /* its time is now */
		assert_int_equal(count_ops(&s), 0);
		assert_int_equal(rename(away, log_path), 0);
		assert_int_equal(count_ops(&s), OPS);
	}
	assert_int_equal(close(fd), 0);
}

static void a_directory_that_is_left_alone_is_not_read_again(void **state)
{
	enum { STABLE_S = 5 }; /* more than STABLE_MS */
	auto_state s = state_make();
	const struct wal_reader *r;
	int fd = leave_log(&s);
	struct peer p;
	uint64_t before;

	r = &s.store->shared_db.wal_reader;
	(void)sleep(STABLE_S);
	assert_int_equal(count_ops(&s), OPS);
	before = r->lists_read;
	for (int i = 0; i < LOOKS; i++)
		assert_int_equal(count_ops(&s), OPS);
	assert_int_equal(r->lists_read, before);
	assert_int_equal(close(fd), 0);
	assert_int_equal(count_ops(&s), OPS); /* removes the log */
	p = peer_start(&s);
	sees(&s, peer_write(&p));
	peer_stop(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_another_process_writes_is_seen_at_once),
		cmocka_unit_test(a_log_that_was_just_made_is_seen_at_once),
		cmocka_unit_test(a_log_is_read_once),
		cmocka_unit_test(another_database_gets_what_the_logs_have),
		cmocka_unit_test(the_log_of_a_dead_process_goes),
		cmocka_unit_test(a_log_that_comes_within_one_tick_is_seen),
		cmocka_unit_test(
			a_directory_that_is_left_alone_is_not_read_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
