/*
 * test_change_group.c - changes of several files by one call: rules, question,
 * hooks, history and files, all or nothing.
 */
#include "past.h"

#include "tools/change/hooks.h"
#include "tools/permissions/gate.h"
#include "tools/records/audit.h"
#include "tools/records/event_log.h"

#include <unistd.h>

enum { MOST = 8 };

static const struct field no_fields[] = { FIELDS_END };

/* One file of a group, as a table has it. */
struct part {
	const char *name, *after; /* without @after it is deleted */
	const char *from;         /* where it is moved from; or NULL */
};

struct story {
	struct past past;
	struct rule rule[4];
	struct rules rules;
	struct hook before, after;
	struct hooks hooks;
	struct changed changed[MOST];
};

#define auto_story cleanup(story_end) struct story

static void story_begin(struct story *s)
{
	*s = (struct story){ .rules = { .mode = MODE_DEFAULT } };
	past_begin(&s->past);
	s->rules.rule = s->rule;
	s->past.options.rules = &s->rules;
	s->past.options.hooks = &s->hooks;
	scratch_put(&s->past.scratch, "root/a", "1\n2\n");
	scratch_put(&s->past.scratch, "root/b", "old\n");
	scratch_put(&s->past.scratch, "root/c", "gone\n");
}

static void story_end(struct story *s)
{
	past_end(&s->past);
}

static void story_rule(struct story *s, enum verdict verdict, const char *text)
{
	struct rule *rule = &s->rule[s->rules.count++];

	*rule = (struct rule){ .origin = STR("--deny") };
	assert_int_equal(rule_parse(str_of(text), &s->past.mem, rule,
				    &s->past.fault),
			 ERR_OK);
	rule->verdict = verdict;
}

/* @spoil, if any, is called when the files have been loaded. */
static enum err story_change_after(struct story *s, const struct part *parts,
				   size_t n, void (*spoil)(struct story *))
{
	struct past *p = &s->past;
	struct change changes[MOST];

	for (size_t i = 0; i < n; i++) {
		struct str path = scratch_str(&p->scratch, parts[i].name);
		struct snapshot *snap = arena_zero(&p->mem, 1, sizeof(*snap));

		changes[i] = (struct change){
			.path = path,
			.before = past_now(p, path, snap),
			.after = str_of(parts[i].after ? parts[i].after : ""),
			.remove = !parts[i].after,
			.whole = true,
		};
		if (parts[i].from)
			changes[i].like = changes[i].from =
				scratch_str(&p->scratch, parts[i].from);
	}
	if (spoil)
		spoil(s);
	p->fault = (struct fault){ 0 };
	return change_group(&p->call, changes, n, s->changed);
}

static enum err story_change(struct story *s, const struct part *parts,
			     size_t n)
{
	return story_change_after(s, parts, n, NULL);
}

static const struct part four[] = {
	{ "root/a", "1\ntwo\n" },
	{ "root/new", "n\n" },
	{ "root/moved", "old\nand more\n", "root/b" },
	{ "root/b", NULL },
	{ "root/c", NULL },
};

static void assert_untouched(struct story *s)
{
	assert_file(&s->past, "root/a", "1\n2\n");
	assert_file(&s->past, "root/b", "old\n");
	assert_file(&s->past, "root/c", "gone\n");
	assert_file(&s->past, "root/new", NULL);
	assert_file(&s->past, "root/moved", NULL);
}

static void assert_changed(struct story *s)
{
	assert_file(&s->past, "root/a", "1\ntwo\n");
	assert_file(&s->past, "root/b", NULL);
	assert_file(&s->past, "root/c", NULL);
	assert_file(&s->past, "root/new", "n\n");
	assert_file(&s->past, "root/moved", "old\nand more\n");
}

/* V13 */
static void a_group_is_one_in_the_history(void **state)
{
	auto_story s;
	struct op op, first;

	story_begin(&s);
	assert_int_equal(story_change(&s, four, COUNT_OF(four)), ERR_OK);
	assert_changed(&s);
	first = past_op(&s.past, s.changed[0].op);
	assert_true(uuid_eq(first.id, first.group));
	for (size_t i = 0; i < COUNT_OF(four); i++) {
		op = past_op(&s.past, s.changed[i].op);
		assert_true(uuid_eq(op.group, first.id));
		assert_int_equal(op.state, OP_DONE);
	}
	op = past_op(&s.past, s.changed[2].op);
	assert_int_equal(op.kind, OP_MOVE);
	assert_str(op.from, scratch_path(&s.past.scratch, "root/b"));
	assert_int_equal(s.past.call.effect_count, COUNT_OF(four));
	assert_true(s.past.call.effects[3].moved);
}

/* What has no effect is no operation; what is left may be a group of one. */
static void an_unchanged_file_is_no_part_of_the_group(void **state)
{
	static const struct part parts[] = { { "root/a", "1\n2\n" },
					     { "root/b", "new\n" } };
	auto_story s;

	story_begin(&s);
	assert_int_equal(story_change(&s, parts, 2), ERR_OK);
	assert_true(uuid_is_zero(s.changed[0].op));
	assert_true(uuid_is_zero(past_op(&s.past, s.changed[1].op).group));
	assert_file(&s.past, "root/b", "new\n");
}

/* V21 V25 */
static void a_no_for_one_file_is_a_no_for_all(void **state)
{
	static const char *const denied[] = { "write(c)", "*(new)", "write(a)",
					      "write(moved)", "write(b)" };

	for (size_t i = 0; i < COUNT_OF(denied); i++) {
		auto_story s;

		story_begin(&s);
		story_rule(&s, VERDICT_ASK, "write");
		story_rule(&s, VERDICT_DENY, denied[i]);
		assert_int_equal(story_change(&s, four, COUNT_OF(four)),
				 ERR_DENIED);
		assert_untouched(&s);
	}
}

/* V25 */
static void mode_plan_refuses_a_group(void **state)
{
	auto_story s;

	story_begin(&s);
	s.rules.mode = MODE_PLAN;
	assert_int_equal(story_change(&s, four, COUNT_OF(four)), ERR_DENIED);
	assert_string_equal(s.past.fault.reason, "plan_mode");
	assert_untouched(&s);
}

/* V25: as source and as destination */
static void ignored_files_are_refused(void **state)
{
	static const char *const ignored[] = { "moved", "b", "c", "new" };

	for (size_t i = 0; i < COUNT_OF(ignored); i++) {
		struct ignore_set set = { 0 };
		auto_story s;

		story_begin(&s);
		assert_int_equal(ignore_parse(str_of(ignored[i]), &s.past.mem,
					      &set.list),
				 0);
		s.rules.ignore = &set;
		s.rules.ignore_count = 1;
		assert_int_equal(story_change(&s, four, COUNT_OF(four)),
				 ERR_DENIED);
		assert_string_equal(s.past.fault.reason, "ignored");
		assert_untouched(&s);
	}
}

/* V21 V68: a directory is judged by what is in it, and only it is named. */
static void a_directory_is_judged_by_its_files(void **state)
{
	static const struct {
		enum verdict verdict;
		const char *rule;
		enum err want;
	} rows[] = {
		{ VERDICT_DENY, "write(dir/kept)", ERR_NOT_ALLOWED },
		{ VERDICT_DENY, "read(kept)", ERR_NOT_ALLOWED },
		{ VERDICT_ASK, "write(kept)", ERR_ASK },
		{ VERDICT_ASK, "write files>1", ERR_ASK },
		{ VERDICT_ASK, "write files>2", ERR_OK },
		{ VERDICT_DENY, "write(other)", ERR_OK },
	};

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct action_facts facts = { .directory = true };
		struct str beneath[2];
		auto_story s;

		story_begin(&s);
		story_rule(&s, rows[i].verdict, rows[i].rule);
		facts.path = facts.key =
			scratch_str(&s.past.scratch, "root/dir");
		beneath[0] = scratch_str(&s.past.scratch, "root/dir/x");
		beneath[1] = scratch_str(&s.past.scratch, "root/dir/kept");
		facts.beneath = beneath;
		facts.beneath_count = 2;
		assert_int_equal(gate_change(&s.past.call, &facts, 1),
				 rows[i].want);
		if (rows[i].want == ERR_NOT_ALLOWED)
			assert_str(s.past.fault.path,
				   scratch_path(&s.past.scratch, "root/dir"));
	}
}

/* V68 */
static void a_repository_in_a_directory_asks(void **state)
{
	struct action_facts facts = { .directory = true };
	auto_story s;

	story_begin(&s);
	facts.path = facts.key = scratch_str(&s.past.scratch, "root/dir");
	scratch_dir(&s.past.scratch, "root/dir");
	assert_int_equal(gate_change(&s.past.call, &facts, 1), ERR_OK);
	scratch_dir(&s.past.scratch, "root/dir/.git");
	assert_int_equal(gate_change(&s.past.call, &facts, 1), ERR_ASK);
}

/* V22 */
static void one_question_names_every_file(void **state)
{
	static const struct {
		char letter;
		const char *name, *from;
		uint64_t added, removed;
	} want[] = { { 'M', "root/a", NULL, 1, 1 },
		     { 'A', "root/new", NULL, 1, 0 },
		     { 'R', "root/moved", "root/b", 1, 0 },
		     { 'D', "root/c", NULL, 0, 1 } };
	const struct question *q;
	auto_story s;

	story_begin(&s);
	story_rule(&s, VERDICT_ASK, "write(c)");
	assert_int_equal(story_change(&s, four, COUNT_OF(four)), ERR_ASK);
	assert_untouched(&s);
	q = &s.past.call.question;
	assert_int_equal(q->file_count, COUNT_OF(want));
	assert_int_equal(q->parts, 0);
	for (size_t i = 0; i < COUNT_OF(want); i++) {
		assert_int_equal(q->files[i].letter, want[i].letter);
		assert_str(q->files[i].path,
			   scratch_path(&s.past.scratch, want[i].name));
		assert_str(q->files[i].from,
			   want[i].from
				   ? scratch_path(&s.past.scratch, want[i].from)
				   : "");
		assert_int_equal(q->files[i].added, want[i].added);
		assert_int_equal(q->files[i].removed, want[i].removed);
	}
	assert_int_equal(q->added, 3);
	assert_int_equal(q->removed, 2);
	assert_non_null(strstr(arena_cstr(&s.past.mem, q->diff), "-2\n+two\n"));
	assert_non_null(
		strstr(arena_cstr(&s.past.mem, q->diff), "+and more\n"));
	assert_non_null(strstr(arena_cstr(&s.past.mem, q->diff), "-gone\n"));
}

static void change_one(struct story *s)
{
	scratch_put(&s->past.scratch, "root/c", "other\n");
}

static void remove_one(struct story *s)
{
	assert_int_equal(unlink(scratch_path(&s->past.scratch, "root/c")), 0);
}

static void create_one(struct story *s)
{
	scratch_put(&s->past.scratch, "root/new", "other\n");
}

static void put_a_directory_there(struct story *s)
{
	scratch_dir(&s->past.scratch, "root/new");
}

static void put_a_link_there(struct story *s)
{
	remove_one(s);
	scratch_link(&s->past.scratch, "b", "root/c");
}

/* V23: the last step of the group would fail. */
static void nobody_is_asked_about_a_group_that_would_fail(void **state)
{
	static void (*const spoils[])(struct story *) = {
		change_one,       remove_one, create_one, put_a_directory_there,
		put_a_link_there,
	};

	static const struct part orphan[] = { { "root/a", "x" },
					      { "root/no/dir", "x" } };

	for (size_t i = 0; i < COUNT_OF(spoils); i++) {
		auto_story s;
		enum err e;

		story_begin(&s);
		story_rule(&s, VERDICT_ASK, "write");
		e = story_change_after(&s, four, COUNT_OF(four), spoils[i]);
		assert_int_not_equal(e, ERR_ASK);
		assert_int_not_equal(e, ERR_OK);
		assert_file(&s.past, "root/a", "1\n2\n");
	}
	auto_story s;
	story_begin(&s);
	story_rule(&s, VERDICT_ASK, "write");
	assert_int_equal(story_change(&s, orphan, 2), ERR_NO_PARENT);
}

/* V22 */
static void an_answer_is_void_when_any_file_differs(void **state)
{
	struct part other[COUNT_OF(four)];
	struct digest shown;
	auto_story s;

	story_begin(&s);
	story_rule(&s, VERDICT_ASK, "write(c)");
	memcpy(other, four, sizeof(other));
	other[1].after = "N\n";
	assert_int_equal(story_change(&s, four, COUNT_OF(four)), ERR_ASK);
	shown = question_digest(&s.past.call.question);
	s.past.call.granted = true;
	s.past.call.shown = shown;
	assert_int_equal(story_change(&s, other, COUNT_OF(four)), ERR_ASK);
	assert_untouched(&s);
	s.past.call.granted = true;
	s.past.call.shown = shown;
	assert_int_equal(story_change(&s, four, COUNT_OF(four)), ERR_OK);
	assert_changed(&s);
}

/* V22: "allow for this file" */
static void a_grant_for_the_file_covers_every_file(void **state)
{
	struct grant g;
	auto_story s;

	story_begin(&s);
	story_rule(&s, VERDICT_ASK, "write");
	s.past.caller.name = STR("somebody");
	assert_int_equal(story_change(&s, four, COUNT_OF(four)), ERR_ASK);
	g = (struct grant){ .reach = GRANT_FILE,
			    .client = STR("somebody"),
			    .root = s.past.call.question.root,
			    .changes = true,
			    .path = s.past.call.question.path,
			    .asked = s.past.call.question.path };
	assert_int_equal(grant_add(s.past.store, &g, &s.past.fault), ERR_OK);
	assert_int_equal(story_change(&s, four, COUNT_OF(four)), ERR_ASK);
	g.files = s.past.call.question.files;
	g.file_count = s.past.call.question.file_count;
	assert_int_equal(grant_add(s.past.store, &g, &s.past.fault), ERR_OK);
	assert_int_equal(story_change(&s, four, COUNT_OF(four)), ERR_OK);
	assert_changed(&s);
	for (size_t i = 0; i < COUNT_OF(four); i++)
		assert_false(uuid_is_zero(
			past_op(&s.past, s.changed[i].op).granted_by));
}

/* V24 */
static void hooks_run_for_every_file(void **state)
{
	auto_story s;
	const char *log, *script;

	story_begin(&s);
	log = scratch_path(&s.past.scratch, "log");
	script = arena_printf(&s.past.mem, "cat >> '%s'", log).ptr;
	s.before = (struct hook){ .command = STR("grep -qv new"),
				  .match = STR("new") };
	s.after = (struct hook){ .command = str_of(script) };
	s.hooks = (struct hooks){ { &s.before, &s.after }, { 1, 1 } };
	assert_int_equal(story_change(&s, four, COUNT_OF(four)), ERR_HOOK);
	assert_untouched(&s);
	assert_null(scratch_get(&s.past.scratch, "log"));
	s.before.command = STR("true");
	assert_int_equal(story_change(&s, four, COUNT_OF(four)), ERR_OK);
	assert_changed(&s);
	script = scratch_get(&s.past.scratch, "log");
	for (size_t i = 0; i < COUNT_OF(four); i++)
		assert_non_null(strstr(script, scratch_path(&s.past.scratch,
							    four[i].name)));
	assert_non_null(strstr(script, "\"kind\":\"move\""));
	assert_non_null(strstr(script, "\"from\":\""));
	assert_non_null(
		strstr(script,
		       arena_printf(&s.past.mem, "\"group\":\"" STR_FMT "\"",
				    STR_ARG(s.changed[0].op_text))
			       .ptr));
}

/* V08: a hook changes a file between look and switch. */
static void a_file_that_changes_meanwhile_stops_the_group(void **state)
{
	auto_story s;
	const char *script;

	story_begin(&s);
	script = arena_printf(&s.past.mem, "echo x >> '%s'",
			      scratch_path(&s.past.scratch, "root/c"))
			 .ptr;
	s.before =
		(struct hook){ .command = str_of(script), .match = STR("b") };
	s.hooks = (struct hooks){ { &s.before }, { 1 } };
	assert_int_equal(story_change(&s, four, COUNT_OF(four)), ERR_CHANGED);
	assert_str(s.past.fault.path, scratch_path(&s.past.scratch, "root/c"));
	assert_file(&s.past, "root/c", "gone\nx\n");
	assert_file(&s.past, "root/a", "1\n2\n");
	assert_file(&s.past, "root/new", NULL);
	assert_file(&s.past, "root/moved", NULL);
}

/* V118: one line in each log, with the number of files and no content */
static void records_have_one_line_for_a_group(void **state)
{
	struct event_log events;
	struct audit audit;
	struct tool_event event = { 0 };
	const char *text;
	auto_story s;

	story_begin(&s);
	assert_int_equal(event_log_open(&events, scratch_path(&s.past.scratch,
							      "events")),
			 0);
	assert_int_equal(audit_open(&audit,
				    scratch_path(&s.past.scratch, "audit")),
			 0);
	s.past.options.event_log = &events;
	s.past.tool.fields = no_fields;
	assert_int_equal(story_change(&s, four, COUNT_OF(four)), ERR_OK);
	event.tool = &s.past.tool;
	event.call = &s.past.call;
	audit.sink.end(&audit.sink, &event);
	text = scratch_get(&s.past.scratch, "events");
	assert_non_null(strstr(text, "\"kind\":\"group\",\"files\":4,"));
	assert_ptr_equal(strchr(text, '\n') + 1, text + strlen(text));
	assert_null(strstr(text, "more"));
	text = scratch_get(&s.past.scratch, "audit");
	assert_non_null(strstr(text, "\"files\":4,"));
	assert_ptr_equal(strchr(text, '\n') + 1, text + strlen(text));
	assert_null(strstr(text, "more"));
	audit.sink.close(&audit.sink);
	events.sink.close(&events.sink);
}

static void a_group_has_at_most_200_files(void **state)
{
	auto_story s;

	story_begin(&s);
	assert_int_equal(change_group(&s.past.call, NULL, CHANGE_MOST_FILES + 1,
				      NULL),
			 ERR_MANY_FILES);
}

static void no_file_is_changed_twice(void **state)
{
	static const struct part parts[] = { { "root/a", "x" },
					     { "root/a", "y" } };
	auto_story s;

	story_begin(&s);
	assert_int_equal(story_change(&s, parts, 2), ERR_BAD_ARGS);
	assert_untouched(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_group_is_one_in_the_history),
		cmocka_unit_test(an_unchanged_file_is_no_part_of_the_group),
		cmocka_unit_test(a_no_for_one_file_is_a_no_for_all),
		cmocka_unit_test(mode_plan_refuses_a_group),
		cmocka_unit_test(ignored_files_are_refused),
		cmocka_unit_test(a_directory_is_judged_by_its_files),
		cmocka_unit_test(a_repository_in_a_directory_asks),
		cmocka_unit_test(one_question_names_every_file),
		cmocka_unit_test(nobody_is_asked_about_a_group_that_would_fail),
		cmocka_unit_test(an_answer_is_void_when_any_file_differs),
		cmocka_unit_test(a_grant_for_the_file_covers_every_file),
		cmocka_unit_test(hooks_run_for_every_file),
		cmocka_unit_test(a_file_that_changes_meanwhile_stops_the_group),
		cmocka_unit_test(records_have_one_line_for_a_group),
		cmocka_unit_test(a_group_has_at_most_200_files),
		cmocka_unit_test(no_file_is_changed_twice),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
