/*
 * test_recovery.c - crash recovery of the history: each workspace of a
 * process recovers the operations in its own files, never on the event loop,
 * and with memory that does not depend on how many operations there are.
 */
#include "past.h"

#include "base/cancel.h"
#include "tools/history/owner.h"

#include <sys/wait.h>
#include <unistd.h>

/* A second workspace in the same process, over the same history. */
struct other {
	struct scratch scratch;
	struct call call;
};

static void other_begin(struct other *o, struct past *p)
{
	o->scratch = scratch_make();
	o->call = p->call;
	o->call.ws = o->scratch.ws;
}

/* A process begins a change of a name, and dies. */
static struct uuid die_amid_name(struct past *p, enum op_kind kind)
{
	const struct uuid id = uuid_new(1);
	const pid_t child = fork();
	int status;

	if (!child) {
		struct store *store = store_new(&(struct store_options){
			.dir = scratch_str(&p->scratch, "state/stet") });
		struct op op = { .id = id,
				 .kind = kind,
				 .path = scratch_str(&p->scratch, "root/to"),
				 .from = scratch_str(&p->scratch, "root/from"),
				 .existed = kind != OP_MKDIR,
				 .exists = kind != OP_RMDIR };
		struct history_ticket ticket;

		history_begin(store, &op, STR(""), STR(""), &ticket);
		_exit(history_wait(store, ticket, &p->fault) != ERR_OK);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	return id;
}

/* A process begins @n creations of files beneath @dir, and dies. */
static void die_amid(struct past *p, struct str dir, size_t n,
		     struct uuid *ret_last)
{
	int ids[2], status;
	pid_t child;

	assert_int_equal(pipe(ids), 0);
	child = fork();
	if (!child) {
		struct store *store = store_new(&(struct store_options){
			.dir = scratch_str(&p->scratch, "state/stet") });
		struct history_ticket ticket;
		struct op op;

		for (size_t i = 0; i < n; i++) {
			op = (struct op){ .path = arena_printf(&p->mem,
							       STR_FMT "/%zu",
							       STR_ARG(dir), i),
					  .exists = true,
					  .after = hash_of(STR("new")),
					  .bytes_after = 3 };
			history_begin(store, &op, STR(""), (struct str){ 0 },
				      &ticket);
			if (history_wait(store, ticket, &p->fault))
				_exit(1);
		}
		_exit(write(ids[1], &op.id, sizeof(op.id)) != sizeof(op.id));
	}
	assert_int_equal(read(ids[0], ret_last, sizeof(*ret_last)),
			 sizeof(*ret_last));
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	(void)close(ids[0]);
	(void)close(ids[1]);
}

static enum op_state state_of(struct past *p, struct uuid id)
{
	return past_op(p, id).state;
}

static void each_workspace_recovers_its_own_files(void **state)
{
	auto_past p;
	struct other other;
	struct uuid here, there;

	past_begin(&p);
	other_begin(&other, &p);
	die_amid(&p, p.scratch.root, 1, &here);
	die_amid(&p, other.scratch.root, 1, &there);
	scratch_put(&other.scratch, "root/0", "new");

	assert_int_equal(recovery_run_once(&p.call), ERR_OK);
	assert_int_equal(state_of(&p, here), OP_FAILED);
	assert_int_equal(state_of(&p, there), OP_INTENT);
	assert_int_equal(recovery_run_once(&other.call), ERR_OK);
	assert_int_equal(state_of(&p, there), OP_DONE);
	scratch_end(&other.scratch);
}

static void a_change_recovers_first(void **state)
{
	auto_past p;
	struct uuid id;

	past_begin(&p);
	die_amid(&p, p.scratch.root, 1, &id);
	scratch_put(&p.scratch, "root/0", "new");
	(void)past_write(&p, "root/0", "newer");
	assert_int_equal(state_of(&p, id), OP_DONE);
}

static void other_roots_are_recovered_again(void **state)
{
	auto_past p;
	struct uuid id;
	struct str more;

	past_begin(&p);
	more = scratch_str(&p.scratch, "outside");
	die_amid(&p, more, 1, &id);
	assert_int_equal(recovery_run_once(&p.call), ERR_OK);
	assert_int_equal(state_of(&p, id), OP_INTENT);
	ws_local_roots(p.scratch.ws, &more, 1, STR(""), NULL);
	assert_int_equal(recovery_run_once(&p.call), ERR_OK);
	assert_int_equal(state_of(&p, id), OP_FAILED);
}

/* ERR_LATER puts the call off to a worker; nothing is read before. */
static void it_is_never_done_on_the_loop(void **state)
{
	auto_past p;
	struct uuid id;

	past_begin(&p);
	die_amid(&p, p.scratch.root, 1, &id);
	p.call.progress.byte_limit = 4096;
	assert_int_equal(recovery_run_once(&p.call), ERR_LATER);
	assert_int_equal(state_of(&p, id), OP_INTENT);
	p.call.progress.byte_limit = 0;
	assert_int_equal(recovery_run_once(&p.call), ERR_OK);
	assert_int_equal(state_of(&p, id), OP_FAILED);
	p.call.progress.byte_limit = 4096;
	assert_int_equal(recovery_run_once(&p.call), ERR_OK);
}

/* A process begins changes of names, of which these were made, and dies. */
static void names_show_how_their_changes_ended(void **state)
{
	static const struct {
		enum op_kind kind;
		const char *path, *from; /* what there is */
		enum op_state want;
	} cases[] = {
		{ OP_MKDIR, "root/to", NULL, OP_DONE },
		{ OP_MKDIR, NULL, NULL, OP_FAILED },
		{ OP_RMDIR, "root/to", NULL, OP_FAILED },
		{ OP_RMDIR, NULL, NULL, OP_DONE },
		{ OP_MOVE, "root/to", NULL, OP_DONE },
		{ OP_MOVE, NULL, "root/from", OP_FAILED },
		{ OP_MOVE, "root/to", "root/from", OP_INTENT },
		{ OP_MOVE, NULL, NULL, OP_INTENT },
	};

	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		auto_past p;
		struct uuid id;

		past_begin(&p);
		id = die_amid_name(&p, cases[i].kind);
		if (cases[i].path)
			scratch_dir(&p.scratch, cases[i].path);
		if (cases[i].from)
			scratch_dir(&p.scratch, cases[i].from);
		assert_int_equal(recovery_run_once(&p.call), ERR_OK);
		assert_int_equal(state_of(&p, id), cases[i].want);
	}
}

/* Groups are recovered without a history, too: once, and not on the loop. */
static void
without_a_history_the_loop_goes_on_after_the_first_time(void **state)
{
	auto_past p;

	past_begin(&p);
	p.options.store = NULL;
	p.call.progress.byte_limit = 4096;
	assert_int_equal(recovery_run_once(&p.call), ERR_LATER);
	p.call.progress.byte_limit = 0;
	assert_int_equal(recovery_run_once(&p.call), ERR_OK);
	p.call.progress.byte_limit = 4096;
	assert_int_equal(recovery_run_once(&p.call), ERR_OK);
}

/* A workspace that notes the most memory held while files are loaded. */
struct meter {
	struct workspace ws;
	struct workspace *disk;
	struct budget budget;
	size_t most;
};

static enum err meter_load(struct workspace *ws, struct str path, uint64_t max,
			   const struct progress *progress, struct arena *mem,
			   struct snapshot *ret, struct fault *f)
{
	struct meter *m = (struct meter *)ws;

	m->most = size_max(m->most, m->budget.used);
	return ws_load(m->disk, path, max, progress, mem, ret, f);
}

static size_t most_memory_for(size_t operations)
{
	static const struct workspace_ops ops = { .load = meter_load };
	auto_past p;
	struct meter m = { .ws = { .ops = &ops } };
	struct uuid id;

	past_begin(&p);
	die_amid(&p, p.scratch.root, operations, &id);
	arena_free(&p.mem);
	budget_open(&m.budget, NULL, 0);
	arena_charge(&p.mem, &m.budget);
	m.disk = p.scratch.ws;
	p.call.ws = &m.ws;
	assert_int_equal(recovery_run_once(&p.call), ERR_OK);
	assert_int_equal(state_of(&p, id), OP_FAILED);
	arena_free(&p.mem);
	assert_int_equal(m.budget.used, 0);
	return m.most;
}

static void many_operations_take_no_more_memory_than_a_few(void **state)
{
	size_t few = most_memory_for(RECOVERY_BATCH);

	assert_true(few > 0);
	assert_int_equal(most_memory_for(8 * RECOVERY_BATCH), few);
}

static void owner_reaches(void *ctx, struct str path)
{
	owner_reach(ctx, path);
}

/* As the commands do: the root follows the files, and no memory is kept. */
static void the_owner_recovers_wherever_files_are(void **state)
{
	struct uuid here, there;
	struct owner o = { 0 };
	size_t held, used;
	auto_past p;

	past_begin(&p);
	die_amid(&p, p.scratch.root, 4 * RECOVERY_BATCH, &here);
	die_amid(&p, scratch_str(&p.scratch, "outside"), 1, &there);
	scratch_put(&p.scratch, "outside/0", "new");
	owner_begin(&o, &(struct owner_options){ .store = p.options.store,
						 .tool = STR("stet log"),
						 .mem = &p.mem,
						 .fault = &p.fault });
	held = p.mem.held;
	used = p.mem.used;
	recovery_run(&(struct recovery){ .ws = o.ws,
					 .store = p.options.store,
					 .max_file = 1 << 20,
					 .reach = owner_reaches,
					 .ctx = &o });
	assert_int_equal(p.mem.held, held);
	assert_int_equal(p.mem.used, used);
	assert_int_equal(state_of(&p, here), OP_FAILED);
	assert_int_equal(state_of(&p, there), OP_DONE);
	owner_end(&o);
}

static bool gives_up(void *ctx)
{
	return true;
}

static void what_a_cancelled_call_left_the_next_one_recovers(void **state)
{
	auto_past p;
	struct uuid id;

	past_begin(&p);
	die_amid(&p, p.scratch.root, 1, &id);
	cancel_begin(gives_up, NULL);
	assert_int_equal(recovery_run_once(&p.call), ERR_OK);
	cancel_end();
	assert_int_equal(state_of(&p, id), OP_INTENT);
	assert_int_equal(recovery_run_once(&p.call), ERR_OK);
	assert_int_equal(state_of(&p, id), OP_FAILED);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_workspace_recovers_its_own_files),
		cmocka_unit_test(a_change_recovers_first),
		cmocka_unit_test(other_roots_are_recovered_again),
		cmocka_unit_test(it_is_never_done_on_the_loop),
		cmocka_unit_test(names_show_how_their_changes_ended),
		cmocka_unit_test(
			without_a_history_the_loop_goes_on_after_the_first_time),
		cmocka_unit_test(
			many_operations_take_no_more_memory_than_a_few),
		cmocka_unit_test(the_owner_recovers_wherever_files_are),
		cmocka_unit_test(
			what_a_cancelled_call_left_the_next_one_recovers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
