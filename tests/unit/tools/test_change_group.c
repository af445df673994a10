/*
 * test_change_group.c - changes of several files by one call: rules, question,
 * hooks, history and files, all or nothing.
 */
#include "past.h"

#include "tools/change/hooks.h"
#include "tools/permissions/gate.h"

enum { MOST = 8 };

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

static enum err story_change(struct story *s, const struct part *parts,
			     size_t n)
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
	p->fault = (struct fault){ 0 };
	return change_group(&p->call, changes, n, s->changed);
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
		cmocka_unit_test(one_question_names_every_file),
		cmocka_unit_test(an_answer_is_void_when_any_file_differs),
		cmocka_unit_test(a_grant_for_the_file_covers_every_file),
		cmocka_unit_test(hooks_run_for_every_file),
		cmocka_unit_test(a_file_that_changes_meanwhile_stops_the_group),
		cmocka_unit_test(a_group_has_at_most_200_files),
		cmocka_unit_test(no_file_is_changed_twice),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
