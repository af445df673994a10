/*
 * test_undo.c - undo, redo, restore and replay on real files with a real
 * history.
 */
#include "past.h"

#include "tools/call/dispatch.h"
#include "tools/call/result.h"
#include "tools/handlers/editing.h"
#include "tools/permissions/rules.h"

#include <stdio.h>
#include <unistd.h>

static unsigned mode_of(struct past *p, const char *name)
{
	struct stat st;

	assert_int_equal(stat(scratch_path(&p->scratch, name), &st), 0);
	return st.st_mode & 07777;
}

/* C101 C102: undo restores the file and is linked to the operation. */
static void an_update_is_undone_and_redone(void **state)
{
	auto_past p;
	struct undone u;
	struct op op;

	past_begin(&p);
	scratch_put(&p.scratch, "root/f", "old\n");
	assert_int_equal(chmod(scratch_path(&p.scratch, "root/f"), 0751), 0);
	op = past_op(&p, past_write(&p, "root/f", "new\n"));
	assert_int_equal(past_undo(&p, op, CONFLICTS_ABORT, &u), ERR_OK);
	assert_int_equal(u.how, REVISE_EXACT);
	assert_file(&p, "root/f", "old\n");
	assert_int_equal(mode_of(&p, "root/f"), 0751);
	assert_true(uuid_eq(past_op(&p, u.changed.op).undoes, op.id));
	assert_true(uuid_eq(past_op(&p, op.id).undone, u.changed.op));
	/* an undone operation cannot be undone again */
	assert_int_equal(past_undo(&p, past_op(&p, op.id), CONFLICTS_ABORT, &u),
			 ERR_NO_UNDO);
	assert_int_equal(past_undo(&p, past_last(&p, OP_UNDOES),
				   CONFLICTS_ABORT, &u),
			 ERR_OK);
	assert_file(&p, "root/f", "new\n");
	/* redo */
	assert_int_equal(past_undo(&p, past_op(&p, u.changed.op),
				   CONFLICTS_ABORT, &u),
			 ERR_OK);
	assert_file(&p, "root/f", "old\n");
}

static void a_creation_is_undone_by_removing(void **state)
{
	auto_past p;
	struct undone u;

	past_begin(&p);
	(void)past_write(&p, "root/f", "new\n");
	assert_int_equal(past_undo(&p, past_last(&p, OP_DOES), CONFLICTS_ABORT,
				   &u),
			 ERR_OK);
	assert_true(u.removed);
	assert_file(&p, "root/f", NULL);
	assert_int_equal(past_undo(&p, past_last(&p, OP_UNDOES),
				   CONFLICTS_ABORT, &u),
			 ERR_OK);
	assert_true(u.created);
	assert_file(&p, "root/f", "new\n");
}

static void a_deletion_is_undone_with_its_mode_and_directory(void **state)
{
	auto_past p;
	struct undone u;
	struct op op;

	past_begin(&p);
	scratch_dir(&p.scratch, "root/d");
	scratch_put(&p.scratch, "root/d/f", "old\n");
	assert_int_equal(chmod(scratch_path(&p.scratch, "root/d/f"), 0604), 0);
	op = past_op(&p, past_remove(&p, "root/d/f"));
	assert_int_equal(rmdir(scratch_path(&p.scratch, "root/d")), 0);
	assert_int_equal(past_undo(&p, op, CONFLICTS_ABORT, &u), ERR_OK);
	assert_true(u.created);
	assert_file(&p, "root/d/f", "old\n");
	assert_int_equal(mode_of(&p, "root/d/f"), 0604);
}

/* A later change, and the result of undoing the first operation. */
static const struct {
	const char *old, *new, *since; /* NULL = no file */
	enum conflicts conflicts;
	enum err want;
	enum revise_how how;
	const char *result;
} changed[] = {
	{ "a\n", "b\n", "c\n", CONFLICTS_ABORT, ERR_UNDO_CONFLICT, 0, "c\n" },
	{ "a\n", "b\n", "c\n", CONFLICTS_THEIRS, ERR_OK, REVISE_MERGED, "a\n" },
	{ "a\n", "b\n", "c\n", CONFLICTS_MARKERS, ERR_OK, REVISE_MERGED, "*" },
	{ "1\n2\n3\n4\n", "one\n2\n3\n4\n", "one\n2\n3\nfour\n",
	  CONFLICTS_ABORT, ERR_OK, REVISE_MERGED, "1\n2\n3\nfour\n" },
	{ "1\n2\n3\n4\n", "one\n2\n3\n4\n", "uno\n2\n3\nfour\n",
	  CONFLICTS_ABORT, ERR_UNDO_CONFLICT, 0, "uno\n2\n3\nfour\n" },
	{ "a\n", "b\n", "c\n", CONFLICTS_OURS, ERR_OK, REVISE_ALREADY, "c\n" },
	{ "a\n", "b\n", "a\n", CONFLICTS_ABORT, ERR_OK, REVISE_ALREADY, "a\n" },
	{ "a\n", "b\n", NULL, CONFLICTS_ABORT, ERR_UNDO_CONFLICT, 0, NULL },
	{ "a\n", "b\n", NULL, CONFLICTS_THEIRS, ERR_OK, REVISE_MERGED, "a\n" },
	{ NULL, "b\n", "c\n", CONFLICTS_ABORT, ERR_UNDO_CONFLICT, 0, "c\n" },
	{ NULL, "b\n", "c\n", CONFLICTS_MARKERS, ERR_UNDO_CONFLICT, 0, "c\n" },
	{ NULL, "b\n", "c\n", CONFLICTS_THEIRS, ERR_OK, REVISE_MERGED, NULL },
	{ NULL, "b\n", NULL, CONFLICTS_ABORT, ERR_OK, REVISE_ALREADY, NULL },
};

static void what_changed_since_is_not_lost(void **state)
{
	for (size_t i = 0; i < COUNT_OF(changed); i++) {
		auto_past p;
		struct undone u;
		struct op op;

		past_begin(&p);
		if (changed[i].old)
			scratch_put(&p.scratch, "root/f", changed[i].old);
		op = past_op(&p, past_write(&p, "root/f", changed[i].new));
		if (changed[i].since)
			scratch_put(&p.scratch, "root/f", changed[i].since);
		else
			assert_int_equal(unlink(scratch_path(&p.scratch,
							     "root/f")),
					 0);
		assert_int_equal(past_undo(&p, op, changed[i].conflicts, &u),
				 changed[i].want);
		if (!changed[i].want)
			assert_int_equal(u.how, changed[i].how);
		else
			assert_true(p.fault.changed.len > 0);
		if (changed[i].result && changed[i].result[0] == '*')
			assert_non_null(
				strstr(scratch_get(&p.scratch, "root/f"),
				       "<<<<<<< now\nc\n=======\na"));
		else
			assert_file(&p, "root/f", changed[i].result);
	}
}

/* Numbered lines, three of them with @words. */
static char *many_lines(struct past *p, const char *const words[3])
{
	enum { LINES = 200000, ROOM = 16 };
	char *text = arena_alloc(&p->mem, LINES * ROOM), *to = text;

	for (int i = 0; i < LINES; i++) {
		const char *word = i % 60000 == 50 && i < 180000
					   ? words[i / 60000]
					   : "line";

		to += snprintf(to, ROOM, "%s %d\n", word, i);
	}
	return text;
}

static bool has_lines(struct past *p, const char *const words[3])
{
	struct snapshot snap;

	assert_int_equal(ws_load(p->scratch.ws,
				 scratch_str(&p->scratch, "root/f"),
				 p->options.max_file, NULL, &p->mem, &snap,
				 &p->fault),
			 ERR_OK);
	return str_eq(snap.bytes, str_of(many_lines(p, words)));
}

/* A large file, of whose new content the history keeps splices. */
static void large_edits_are_undone_and_redone(void **state)
{
	static const char *const was[] = { "line", "line", "line" };
	static const char *const made[] = { "edited", "line", "e" };
	static const char *const since[] = { "edited", "other", "e" };
	static const char *const left[] = { "line", "other", "line" };
	const struct edit edits[] = {
		{ STR("line 50\n"), STR("edited 50\n") },
		{ STR("line 120050\n"), STR("e 120050\n") },
	};
	struct edited edited;
	struct undone u;
	struct op op;
	auto_past p;

	past_begin(&p);
	p.options.max_file = 16 << 20;
	scratch_put(&p.scratch, "root/f", many_lines(&p, was));
	assert_int_equal(edit_file(&p.call, scratch_str(&p.scratch, "root/f"),
				   edits, 2, &edited),
			 ERR_OK);
	assert_true(has_lines(&p, made));
	op = past_last(&p, OP_DOES);
	assert_int_equal(past_undo(&p, op, CONFLICTS_ABORT, &u), ERR_OK);
	assert_int_equal(u.how, REVISE_EXACT);
	assert_true(has_lines(&p, was));
	assert_int_equal(past_undo(&p, past_op(&p, u.changed.op),
				   CONFLICTS_ABORT, &u),
			 ERR_OK);
	assert_true(has_lines(&p, made));
	scratch_put(&p.scratch, "root/f", many_lines(&p, since));
	assert_int_equal(past_undo(&p, past_op(&p, u.changed.op),
				   CONFLICTS_ABORT, &u),
			 ERR_OK);
	assert_int_equal(u.how, REVISE_MERGED);
	assert_true(has_lines(&p, left));
}

static void a_mode_that_somebody_has_set_since_stays(void **state)
{
	auto_past p;
	struct str path;
	struct snapshot snap;
	struct changed made;
	struct undone u;
	struct op op;

	past_begin(&p);
	scratch_put(&p.scratch, "root/f", "x\n");
	assert_int_equal(chmod(scratch_path(&p.scratch, "root/f"), 0644), 0);
	path = scratch_str(&p.scratch, "root/f");
	(void)past_now(&p, path, &snap);
	assert_int_equal(change_file(&p.call,
				     &(struct change){ .path = path,
						       .before = &snap,
						       .after = snap.bytes,
						       .set_mode = true,
						       .mode = 0600 },
				     &made),
			 ERR_OK);
	op = past_op(&p, made.op);
	assert_int_equal(op.kind, OP_MODE);
	assert_int_equal(chmod(scratch_path(&p.scratch, "root/f"), 0755), 0);
	assert_int_equal(past_undo(&p, op, CONFLICTS_ABORT, &u),
			 ERR_UNDO_CONFLICT);
	assert_int_equal(mode_of(&p, "root/f"), 0755);
	assert_int_equal(chmod(scratch_path(&p.scratch, "root/f"), 0600), 0);
	assert_int_equal(past_undo(&p, op, CONFLICTS_ABORT, &u), ERR_OK);
	assert_int_equal(mode_of(&p, "root/f"), 0644);
}

/*
 * The old content, the appended bytes, later bytes; and the content after the
 * undo.
 * Requirements: V88
 */
static const struct {
	const char *start, *added, *since;
	enum err want;
	const char *result;
} appends[] = {
	{ "a\n", "b\n", NULL, ERR_OK, "a\n" },
	{ "a", "b\n", NULL, ERR_OK, "a" }, /* with the end it was given */
	{ NULL, "b\n", NULL, ERR_OK, NULL },
	{ "a\n", "b\n", "a\nb\nc\n", ERR_OK, "a\nc\n" },
	{ NULL, "b\n", "b\nc\n", ERR_OK, "c\n" },
	{ "a\n", "b\n", "a\nb\nb\nb\n", ERR_OK, "a\nb\nb\n" },
	{ "a\n", "b\n", "a\nX\nb\n", ERR_UNDO_CONFLICT, "a\nX\nb\n" },
	{ "a\n", "b\n", "a\n", ERR_OK, "a\n" },
};

static void an_append_is_undone_where_it_was_put(void **state)
{
	for (size_t i = 0; i < COUNT_OF(appends); i++) {
		auto_past p;
		struct undone u;

		past_begin(&p);
		if (appends[i].start)
			scratch_put(&p.scratch, "root/f", appends[i].start);
		past_append(&p, "root/f", appends[i].added);
		if (appends[i].since)
			scratch_put(&p.scratch, "root/f", appends[i].since);
		assert_int_equal(past_undo(&p, past_last(&p, OP_DOES),
					   CONFLICTS_ABORT, &u),
				 appends[i].want);
		assert_file(&p, "root/f", appends[i].result);
	}
}

/* The content after an append is put together from those before it. */
static void the_content_at_any_time_is_known(void **state)
{
	static const char *const wants[] = { "a\nb\nc\n", "a\nb\n", "a" };
	struct history_query q = { 0 };
	struct file_content side;
	auto_past p;
	struct op *ops;
	size_t n;

	past_begin(&p);
	(void)past_write(&p, "root/f", "a");
	past_append(&p, "root/f", "b\n");
	past_append(&p, "root/f", "c\n");
	scratch_put(&p.scratch, "root/g", "old\n");
	past_append(&p, "root/g", "more\n");
	scratch_put(&p.scratch, "root/f", "something else\n");
	q.path = scratch_str(&p.scratch, "root/f");
	assert_int_equal(history_list(p.store, &q, &p.mem, &ops, &n, &p.fault),
			 ERR_OK);
	assert_int_equal(n, COUNT_OF(wants));
	for (size_t i = 0; i < n; i++) {
		assert_int_equal(undo_content(&p.call, &ops[i], &side), ERR_OK);
		assert_str(side.bytes, wants[i]);
	}
	q.path = scratch_str(&p.scratch, "root/g");
	assert_int_equal(history_list(p.store, &q, &p.mem, &ops, &n, &p.fault),
			 ERR_OK);
	assert_int_equal(undo_content(&p.call, &ops[0], &side), ERR_OK);
	assert_str(side.bytes, "old\nmore\n");
}

/* C101: the changes of some operations, made in another file. */
static void operations_are_replayed_elsewhere(void **state)
{
	struct op ops[2];
	struct str to;
	struct undone u;
	auto_past p;

	past_begin(&p);
	ops[0] = past_op(&p, past_write(&p, "root/f", "a\nb\nc\n"));
	ops[1] = past_op(&p, past_write(&p, "root/f", "a\nB\nc\n"));
	to = scratch_str(&p.scratch, "root/new/g");
	assert_int_equal(undo_replay(&p.call, ops, 2, to, CONFLICTS_ABORT, &u),
			 ERR_OK);
	assert_file(&p, "root/new/g", "a\nB\nc\n");
	scratch_put(&p.scratch, "root/new/g", "x\n");
	assert_int_equal(undo_replay(&p.call, ops, 2, to, CONFLICTS_ABORT, &u),
			 ERR_UNDO_CONFLICT);
	assert_file(&p, "root/new/g", "x\n");
}

/* C103: nothing is changed that the history would not keep. */
static void without_a_history_nothing_is_undone(void **state)
{
	struct undone u;
	struct op op;
	auto_past p;

	past_begin(&p);
	scratch_put(&p.scratch, "root/f", "old\n");
	op = past_op(&p, past_write(&p, "root/f", "new\n"));
	store_free(p.store);
	p.store = p.options.store = store_new(&(struct store_options){
		.dir = scratch_str(&p.scratch, "state/stet"),
		.read_only = true });
	assert_int_equal(past_undo(&p, op, CONFLICTS_ABORT, &u), ERR_STORE);
	assert_file(&p, "root/f", "new\n");
}

/* Call a tool by name; returns its result as JSON. */
static enum err ask(struct past *p, const char *tool, const char *arguments,
		    struct buf *out)
{
	struct dispatch d = { .options = &p->options,
			      .ws = p->scratch.ws,
			      .mem = &p->mem,
			      .caller = &p->caller };
	struct json_limits limits = { 0 };
	struct json_error error;
	struct json json;
	enum err e;

	assert_int_equal(json_parse(str_of(arguments), &limits, &p->mem, &json,
				    &error),
			 ERR_OK);
	e = dispatch_begin(&d, str_of(tool), json);
	if (!e)
		e = dispatch_run(&d, 0);
	if (!e)
		result_payload(&d.call, out);
	p->fault = d.fault;
	return e;
}

/* C101: what a rule hides is not in the history either, for an agent. */
static void a_hidden_file_has_no_history(void **state)
{
	struct rule rule = { .verdict = VERDICT_DENY };
	struct rules rules = { .rule = &rule, .count = 1 };
	auto_buf seen = BUF_INIT;
	struct uuid hidden;
	auto_past p;

	past_begin(&p);
	(void)past_write(&p, "root/open", "x\n");
	hidden = past_write(&p, "root/hidden", "x\n");
	assert_int_equal(rule_parse(STR("*(hidden)"), &p.mem, &rule, &p.fault),
			 ERR_OK);
	p.options.rules = &rules;
	assert_int_equal(ask(&p, "file_history", "{}", &seen), ERR_OK);
	buf_addc(&seen, '\0');
	assert_non_null(strstr(seen.ptr, "root/open"));
	assert_null(strstr(seen.ptr, "hidden"));
	assert_int_equal(ask(&p, "undo_file_change",
			     arena_printf(&p.mem,
					  "{\"operation\":\"" STR_FMT "\"}",
					  STR_ARG(op_id(hidden, &p.mem)))
				     .ptr,
			     &seen),
			 ERR_NO_OP);
	/* the latest that it may see is another one */
	assert_int_equal(ask(&p, "undo_file_change", "{}", &seen), ERR_OK);
	assert_file(&p, "root/open", NULL);
	assert_file(&p, "root/hidden", "x\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_update_is_undone_and_redone),
		cmocka_unit_test(a_creation_is_undone_by_removing),
		cmocka_unit_test(
			a_deletion_is_undone_with_its_mode_and_directory),
		cmocka_unit_test(what_changed_since_is_not_lost),
		cmocka_unit_test(large_edits_are_undone_and_redone),
		cmocka_unit_test(a_mode_that_somebody_has_set_since_stays),
		cmocka_unit_test(an_append_is_undone_where_it_was_put),
		cmocka_unit_test(the_content_at_any_time_is_known),
		cmocka_unit_test(operations_are_replayed_elsewhere),
		cmocka_unit_test(without_a_history_nothing_is_undone),
		cmocka_unit_test(a_hidden_file_has_no_history),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
