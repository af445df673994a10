/*
 * test_writer.c - the writer: syncs, batches, failures, several threads.
 */
#include "state.h"

#include "store/wal_file.h"

#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static atomic_int syncs, wal_syncs;

static int count_sync(int fd, long call)
{
	char name[64], path[PATH_MAX] = "";

	(void)snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
	(void)!readlink(name, path, sizeof(path) - 1);
	atomic_fetch_add(&syncs, 1);
	if (strstr(path, "/daybook/"))
		atomic_fetch_add(&wal_syncs, 1);
	return (int)syscall(call, fd);
}

/* Replace the functions of libc, for stet and SQLite: they count calls. */
int fdatasync(int fd)
{
	return count_sync(fd, SYS_fdatasync);
}

int fsync(int fd)
{
	return count_sync(fd, SYS_fsync);
}

enum { OPS = 20, MORE = 200, TOGETHER = 32 };

static struct op op_make(void)
{
	return (struct op){ .kind = OP_UPDATE,
			    .path = STR("/a"),
			    .existed = true,
			    .exists = true };
}

static void wait_on_disk(struct state *s, atomic_int *count)
{
	int before = *count;
	struct op op = op_make();
	struct history_ticket ticket;

	history_begin(s->store, &op, STR("w"), STR("x"), &ticket);
	assert_int_equal(history_wait(s->store, ticket, &s->f), ERR_OK);
	assert_true(*count > before);
	history_end(s->store, &op, OP_DONE, NULL);
}

static void an_intent_is_on_disk_when_it_was_waited_for(void **state)
{
	auto_state s = state_make();
	int start;

	s.options.durable = true;
	state_again(&s);
	wait_on_disk(&s, &syncs); /* in the database itself */
	(void)state_wal(&s);
	start = wal_syncs;
	for (int i = 0; i < OPS; i++)
		wait_on_disk(&s, &wal_syncs);
	/* One sync for each intent, none for an end. */
	assert_int_equal(wal_syncs - start, OPS);
}

/* fdatasync() of a file that grows takes longer. */
static void the_log_has_room_that_is_on_disk(void **state)
{
	auto_state s = state_make();
	const char *log;
	struct stat before, after;

	s.options.durable = true;
	state_again(&s);
	log = state_wal(&s);
	assert_int_equal(stat(log, &before), 0);
	assert_true(before.st_size >= WAL_SIZE);
	assert_true(before.st_blocks * 512 >= before.st_size);
	for (int i = 0; i < MORE; i++)
		(void)state_op(&s, "/a", "w", "x");
	assert_int_equal(stat(log, &after), 0);
	assert_int_equal(after.st_size, before.st_size);
}

/* The intent to create a file is not synced: nothing can be lost. */
static void a_new_file_does_not_wait_for_the_disk(void **state)
{
	auto_state s = state_make();
	int start;

	s.options.durable = true;
	state_again(&s);
	(void)state_op(&s, "/first", NULL, "x");
	start = syncs; /* no operation is older than COMMIT_MS yet */
	(void)state_op(&s, "/a", NULL, "y");
	assert_int_equal(syncs, start);
	(void)state_wal(&s);
	start = wal_syncs;
	for (int i = 0; i < OPS; i++)
		(void)state_op(&s, "/a", NULL, "y");
	assert_int_equal(wal_syncs, start);
}

static void without_the_wish_nobody_waits_for_the_disk(void **state)
{
	auto_state s = state_make();
	int start;

	(void)state_op(&s, "/first", NULL, "x");
	start = syncs;
	(void)state_wal(&s);
	for (int i = 0; i < MORE; i++)
		(void)state_op(&s, "/a", "x", "y");
	assert_int_equal(syncs, start);
}

static void what_comes_together_is_written_together(void **state)
{
	auto_state s = state_make();
	struct history_ticket tickets[TOGETHER];
	int start;

	s.options.durable = true;
	state_again(&s);
	(void)state_op(&s, "/first", "w", "x");
	start = syncs;
	for (size_t i = 0; i < TOGETHER; i++) {
		struct op op = op_make();

		history_begin(s.store, &op, STR(""), STR("x"), &tickets[i]);
	}
	for (size_t i = TOGETHER; i--;) /* in any order */
		assert_int_equal(history_wait(s.store, tickets[i], &s.f),
				 ERR_OK);
	assert_true(syncs - start < TOGETHER);
	assert_true(syncs - start >= 1);
}

/* One operation that fails does not fail its batch. */
static void each_fails_for_itself(void **state)
{
	auto_state s = state_make();
	struct op good = op_make(), same = op_make(), other = op_make();
	struct history_ticket tickets[3];

	(void)state_op(&s, "/first", NULL, "x");
	good.id = same.id = uuid_new(1); /* an id is given once */
	history_begin(s.store, &good, STR(""), STR("1"), &tickets[0]);
	history_begin(s.store, &same, STR(""), STR("2"), &tickets[1]);
	history_begin(s.store, &other, STR(""), STR("3"), &tickets[2]);
	assert_int_equal(history_wait(s.store, tickets[0], &s.f), ERR_OK);
	assert_int_equal(history_wait(s.store, tickets[1], &s.f), ERR_STORE);
	assert_int_equal(history_wait(s.store, tickets[2], &s.f), ERR_OK);
	assert_true(state_holds(&s, &good, HISTORY_AFTER, STR("1")));
	assert_true(state_holds(&s, &other, HISTORY_AFTER, STR("3")));
}

/* How many on @path have ended; is the newest one the intent @id? */
static bool ends_of(struct state *s, struct str path, struct uuid id,
		    size_t *ret)
{
	const struct history_query q = { .path = path,
					 .intents = true,
					 .limit = OPS + MORE };
	struct op *list;
	size_t n;

	assert_int_equal(history_list(s->store, &q, &s->mem, &list, &n, &s->f),
			 ERR_OK);
	*ret = 0;
	for (size_t i = 0; i < n; i++)
		*ret += list[i].state == OP_DONE;
	return n && list[0].state == OP_INTENT && uuid_eq(list[0].id, id);
}

/* An end is visible to other stores, with all operations before it. */
static void what_was_waited_for_is_there_and_all_before_it(void **state)
{
	auto_state s = state_make();
	struct state other = { 0 };
	size_t last;

	s.options.read_only = true;
	other.store = store_new(&s.options);
	(void)state_op(&s, "/first", NULL, "x");
	for (int i = 0; i < OPS; i++) {
		struct op op = op_make();
		struct history_ticket ticket;

		if (i == OPS / 2)
			(void)state_wal(&s);
		history_begin(s.store, &op, STR("w"), STR("x"), &ticket);
		assert_int_equal(history_wait(s.store, ticket, &s.f), ERR_OK);
		assert_true(ends_of(&other, STR("/a"), op.id, &last));
		assert_true(state_holds(&other, &op, HISTORY_BEFORE, STR("w")));
		assert_int_equal(last, i);
		history_end(s.store, &op, OP_DONE, NULL);
	}
	store_free(other.store);
	arena_free(&other.mem);
}

struct crowd {
	struct state *s;
	enum err err;
};

static void *one_of_many(void *arg)
{
	struct crowd *c = arg;

	for (int i = 0; i < OPS && !c->err; i++) {
		struct op op = op_make();
		struct history_ticket ticket;
		struct fault f;

		history_begin(c->s->store, &op, STR("w"), STR("x"), &ticket);
		c->err = history_wait(c->s->store, ticket, &f);
		history_end(c->s->store, &op, OP_DONE, NULL);
	}
	return NULL;
}

static void many_may_wait_at_once(void **state)
{
	auto_state s = state_make();
	struct crowd crowd[TOGETHER];
	pthread_t ids[TOGETHER];

	for (size_t i = 0; i < TOGETHER; i++) {
		crowd[i] = (struct crowd){ &s, ERR_OK };
		assert_int_equal(pthread_create(&ids[i], NULL, one_of_many,
						&crowd[i]),
				 0);
	}
	for (size_t i = 0; i < TOGETHER; i++) {
		assert_int_equal(pthread_join(ids[i], NULL), 0);
		assert_int_equal(crowd[i].err, ERR_OK);
	}
	state_again(&s);
	assert_int_equal(
		state_number(&s, "SELECT count(*) FROM op WHERE state = 1"),
		OPS * TOGETHER);
}

/* Ends are committed soon, although no caller waits for them. */
static void an_end_is_written_soon_by_itself(void **state)
{
	auto_state s = state_make();
	int64_t ended = 0;

	(void)state_op(&s, "/a", NULL, "x");
	for (int i = 0; i < 1000 && !ended; i++) {
		(void)usleep(10 * 1000);
		ended = state_number(&s, "SELECT count(*) FROM op"
					 " WHERE state = 1");
	}
	assert_int_equal(ended, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_intent_is_on_disk_when_it_was_waited_for),
		cmocka_unit_test(the_log_has_room_that_is_on_disk),
		cmocka_unit_test(a_new_file_does_not_wait_for_the_disk),
		cmocka_unit_test(without_the_wish_nobody_waits_for_the_disk),
		cmocka_unit_test(what_comes_together_is_written_together),
		cmocka_unit_test(each_fails_for_itself),
		cmocka_unit_test(
			what_was_waited_for_is_there_and_all_before_it),
		cmocka_unit_test(many_may_wait_at_once),
		cmocka_unit_test(an_end_is_written_soon_by_itself),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
