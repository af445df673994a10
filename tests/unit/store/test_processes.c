/*
 * test_processes.c - several processes with one state directory, some of them
 * killed.
 */
#include "state.h"

#include "base/clock.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { WRITERS = 8, EACH = 40, KILLS = 100, LARGE = 1100 * 1024 };

/* Start @fn in @n children at the same moment; how many returned 0. */
static size_t all_at_once(struct state *s, size_t n, int (*fn)(struct state *))
{
	pid_t children[WRITERS];
	int gate[2];
	size_t fine = 0;

	assert_int_equal(pipe(gate), 0);
	for (size_t i = 0; i < n; i++) {
		char c;

		children[i] = fork();
		if (children[i])
			continue;
		(void)close(gate[1]);
		(void)!read(gate[0], &c, 1); /* until it is closed */
		_exit(fn(s));
	}
	(void)close(gate[0]);
	(void)close(gate[1]);
	for (size_t i = 0; i < n; i++) {
		int status;

		assert_int_equal(waitpid(children[i], &status, 0), children[i]);
		fine += !status;
	}
	return fine;
}

static bool is_whole(struct state *s)
{
	return state_number(s, "SELECT integrity_check = 'ok'"
			       " FROM pragma_integrity_check");
}

static int write_some(struct state *s)
{
	struct state own = { .options = s->options };

	own.options.durable = getpid() % 2;
	own.store = store_new(&own.options);
	for (int i = 0; i < EACH; i++) {
		struct str after = arena_printf(&own.mem, "%d %d", getpid(), i);
		struct op op;

		need(!state_try_op(&own, "/a", STR("same"), after, &op));
		if (i == EACH / 2)
			need(state_holds(&own, &op, HISTORY_AFTER, after));
	}
	store_free(own.store);
	return 0;
}

/* Starting when there is no state directory yet. */
static void several_processes_write_at_once(void **state)
{
	auto_state s = state_make();

	assert_int_equal(all_at_once(&s, WRITERS, write_some), WRITERS);
	assert_true(is_whole(&s));
	assert_int_equal(
		state_number(&s, "SELECT count(*) FROM op WHERE state = 1"),
		WRITERS * EACH);
	assert_int_equal(state_number(&s, "SELECT count(*) FROM blob"),
			 WRITERS * EACH + 1);
}

static int take_it(struct state *s)
{
	struct store *store = store_new(&s->options);
	struct approval a;
	enum err e =
		approval_take(store, STR("d"), STR(""), &s->mem, &a, &s->f);

	store_free(store);
	if (e == ERR_NO_APPROVAL)
		return 7;
	need(!e);
	return a.state == APPROVAL_ALLOWED ? 0 : 8;
}

static void only_one_has_the_answer(void **state)
{
	auto_state s = state_make();
	struct approval a = { .digest = STR("d") };

	assert_int_equal(approval_ask(s.store, &a, &s.mem, &s.f), ERR_OK);
	assert_int_equal(approval_decide(s.store, a.id, APPROVAL_ALLOWED,
					 STR(""), STR(""), &s.f),
			 ERR_OK);
	state_again(&s);
	assert_int_equal(all_at_once(&s, WRITERS, take_it), 1);
}

/* Writes until it is killed: small and large contents, and gc at times. */
static void write_for_ever(struct state *s, int tell)
{
	char *bytes = malloc(LARGE);
	size_t had = 0;

	(void)signal(SIGPIPE, SIG_DFL);
	s->store = store_new(&s->options);
	for (unsigned i = 0;; i++) {
		size_t n = i % 3 == 1 ? LARGE : 100 + i * 997 % 40000;
		struct history_gc gc = { .older_ms = 5 };
		char *next = malloc(LARGE);
		struct op op;

		for (size_t k = 0; k < n; k++)
			next[k] = (char)('a' + k / 5 % 11);
		(void)snprintf(next, n, "%d %u", getpid(), i); /* no other */
		if (state_try_op(s, "/a", str_make(bytes, had),
				 str_make(next, n), &op))
			_exit(9);
		(void)!write(tell, "x", 1);
		if (i % 8 == 5 && history_gc(s->store, &gc, &s->f))
			_exit(10);
		free(bytes);
		bytes = next;
		had = n;
	}
}

static void kill_one(struct state *s, unsigned round)
{
	int tell[2], status;
	pid_t child;
	char c;

	assert_int_equal(pipe(tell), 0);
	child = fork();
	if (!child) {
		(void)close(tell[0]);
		write_for_ever(s, tell[1]);
	}
	(void)close(tell[1]);
	/* After some operations, or before the first. */
	for (long n = round % 4 ? random() % 12 : 0; n > 0; n--)
		assert_int_equal(read(tell[0], &c, 1), 1);
	(void)usleep((useconds_t)(random() % 5000));
	assert_int_equal(kill(child, SIGKILL), 0);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
	(void)close(tell[0]);
}

static void check_content(struct state *s, const struct op *op,
			  enum history_side side, struct hash want)
{
	struct str got;

	assert_int_equal(history_content(s->store, op, side, &s->mem, &got,
					 &s->f),
			 ERR_OK);
	assert_true(hash_eq(hash_of(got), want));
}

static size_t check_all(struct state *s, uint64_t since)
{
	struct history_query recent = { .since_ms = since,
					.intents = true,
					.limit = 100000 };
	struct op *list, *open;
	size_t n, n_open, ended = 0;

	assert_int_equal(history_list(s->store, &recent, &s->mem, &list, &n,
				      &s->f),
			 ERR_OK);
	for (size_t i = 0; i < n; i++) {
		check_content(s, &list[i], HISTORY_BEFORE, list[i].before);
		check_content(s, &list[i], HISTORY_AFTER, list[i].after);
		ended += list[i].state != OP_INTENT;
	}
	assert_int_equal(history_open_intents(s->store, (struct uuid){ 0 },
					      SIZE_MAX, &s->mem, &open, &n_open,
					      &s->f),
			 ERR_OK);
	assert_int_equal(n_open, n - ended);
	for (size_t i = 0; i < n_open; i++)
		history_end(s->store, &open[i], OP_FAILED, NULL);
	return n;
}

/*
 * C83: after a kill at any time the history is consistent: every operation has
 * both contents, and unfinished ones are known.
 */
static void whenever_it_is_killed_all_is_whole(void **state)
{
	auto_state s = state_make();
	size_t seen = 0;

	srandom(11);
	for (unsigned round = 0; round < KILLS; round++) {
		uint64_t start = clock_unix_ms();

		s.options.durable = round % 4 == 1;
		store_free(s.store);
		s.store = NULL;
		if (round % 10 == 9) /* and from the very beginning */
			assert_int_equal(
				rename(s.dir.ptr,
				       state_path(&s, arena_printf(&s.mem,
								   "../old-%u",
								   round)
							      .ptr)),
				0);
		kill_one(&s, round);
		s.store = store_new(&s.options);
		seen += check_all(&s, start);
		assert_true(is_whole(&s));
		assert_str(store_put_aside(s.store), "");
		arena_reset(&s.mem, 0);
		s.dir = arena_printf(&s.mem, "%s/stet", s.base);
		s.options.dir = s.dir;
	}
	assert_true(seen > 2 * KILLS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(several_processes_write_at_once),
		cmocka_unit_test(only_one_has_the_answer),
		cmocka_unit_test(whenever_it_is_killed_all_is_whole),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
