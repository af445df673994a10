/*
 * test_visible.c - the quick tests of visible.c let nothing through that the
 * rules hide or ask for: for random rules and paths its verdict is that of
 * rules_decide().
 *
 * F16 F17 F18
 */
#include "../unit.h"

#include "tools/find/visible.h"

#include <stdlib.h>

enum { RULES = 6, SETS = 3000, PATHS = 40, DEPTH = 5 };

static const struct str root = STR_INIT("/w/work");

static const char *const names[] = {
	"a",     "b",    "ab",   "A",       "a.c",     "b.pem",     ".env",
	"x",     ".ssh", "docs", ".config", "gh",      "my-secret", "id.pub",
	"B.PEM", "ä",    "a.",   "work",    "a.env.c", "DOCS",      "w",
};

static const char *const globs[] = {
	"a",     "/a",     "a/",   "*.c",         "b*",      "docs/**",
	"a/b",   "a/*",    "**/x", "a/**/x",      "/docs/a", "?",
	"[ab]*", "*b*",    "/w/a", "/w/work/a/b", "~/x",     "docs/*.c",
	"work",  "work/a", "*",    "**",          "A/B",     "a*/",
};

static const char *const tools_named[] = { "read", "Glob",  "Read",
					   "*",    "write", "find" };
static const char *const verdicts[] = { "deny", "deny", "ask", "ask", "allow" };

#define PICK(list) ((list)[(size_t)rand() % COUNT_OF(list)])

static enum verdict verdict_named(const char *name)
{
	return !strcmp(name, "deny")  ? VERDICT_DENY
	       : !strcmp(name, "ask") ? VERDICT_ASK
				      : VERDICT_ALLOW;
}

/* A few random rules; sometimes one without a path. */
static void make_rules(struct arena *mem, struct rule *rule, size_t n)
{
	struct fault f;

	for (size_t i = 0; i < n; i++) {
		struct str text = arena_printf(mem, "%s(%s)", PICK(tools_named),
					       PICK(globs));

		if (rand() % 40 == 0)
			text = STR("read");
		rule[i] = (struct rule){ .verdict = verdict_named(
						 PICK(verdicts)) };
		rule[i].home = STR("/w/work/b");
		assert_int_equal(rule_parse(text, mem, &rule[i], &f), ERR_OK);
	}
}

static enum visibility judged(struct call *c, struct str path, struct str key,
			      bool is_dir)
{
	struct action d = { .tool = c->tool, .directory = is_dir };
	struct decision got = { 0 };

	action_place(&d, path, key, &root, 1, c->mem);
	action_place_above(&d, c->options->rules, c->mem);
	if (rules_denied(c->options->rules, &d))
		return VISIBLE_NOT;
	rules_decide(c->options->rules, &d, &got);
	return got.verdict == VERDICT_DENY  ? VISIBLE_NOT
	       : got.verdict == VERDICT_ASK ? VISIBLE_ASKS
					    : VISIBLE;
}

struct counted {
	size_t by[VISIBLE_NOT + 1];
};

/* Walk down one random path, until a directory is hidden. */
static void go_down(struct call *c, struct visible *v, struct str given,
		    struct counted *n)
{
	struct str key = root, path = given;
	unsigned depth = 1 + (unsigned)rand() % DEPTH, entered = 0;

	visible_begin(v, root, given);
	for (unsigned i = 0; i < depth; i++) {
		struct str name = str_of(PICK(names));
		bool is_dir = i + 1 < depth;
		enum visibility got, want;

		key = arena_printf(c->mem, STR_FMT "/" STR_FMT, STR_ARG(key),
				   STR_ARG(name));
		path = arena_printf(c->mem, STR_FMT "/" STR_FMT, STR_ARG(path),
				    STR_ARG(name));
		got = visible_is(v, key, name, is_dir);
		want = judged(c, str_eq(given, root) ? key : path, key, is_dir);
		if (got != want)
			print_error("%.*s: %d, not %d\n", (int)key.len, key.ptr,
				    (int)got, (int)want);
		assert_int_equal(got, want);
		n->by[got]++;
		if (!is_dir || got == VISIBLE_NOT)
			break;
		visible_enter(v, name);
		entered++;
	}
	while (entered--)
		visible_leave(v);
}

static void the_verdict_is_that_of_the_rules(void **state)
{
	struct counted n = { 0 };

	srand(7);
	for (int i = 0; i < SETS; i++) {
		auto_arena mem = ARENA_INIT;
		struct rule rule[RULES] = { 0 };
		struct rules rules = { .mode = (enum mode)(rand() % 5),
				       .rule = rule,
				       .count = (size_t)rand() % RULES,
				       .base = &root,
				       .base_count = 1 };
		struct tool_options options = { .rules = &rules };
		struct call c = { .tool = tool_named(STR("Glob")),
				  .options = &options,
				  .mem = &mem };
		struct visible v;

		make_rules(&mem, rule, rules.count);
		visible_init(&v, &c, &root, 1);
		for (int k = 0; k < PATHS; k++)
			go_down(&c, &v, k % 8 ? root : STR("/w/work/link"), &n);
		visible_free(&v);
	}
	/* The test is void if one of the verdicts hardly occurs. */
	for (size_t i = 0; i < COUNT_OF(n.by); i++)
		assert_true(n.by[i] > SETS);
}

static void without_rules_everything_is_visible(void **state)
{
	auto_arena mem = ARENA_INIT;
	struct tool_options options = { 0 };
	struct call c = { .tool = tool_named(STR("Glob")),
			  .options = &options,
			  .mem = &mem };
	struct visible v;

	visible_init(&v, &c, &root, 1);
	visible_begin(&v, root, root);
	visible_enter(&v, STR(".ssh"));
	assert_int_equal(visible_is(&v, STR("/w/work/.ssh/id"), STR("id"),
				    false),
			 VISIBLE);
	visible_leave(&v);
	visible_free(&v);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_verdict_is_that_of_the_rules),
		cmocka_unit_test(without_rules_everything_is_visible),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
