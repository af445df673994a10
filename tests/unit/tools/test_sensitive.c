/*
 * test_sensitive.c - the table of sensitive paths, and the search in it.
 *
 * C100
 */
#include "../unit.h"

#include "base/buf.h"
#include "text/pattern/glob.h"
#include "tools/permissions/sensitive.h"

#define YES VERDICT_ALLOW
#define ASK VERDICT_ASK
#define NO  VERDICT_DENY

static const struct str root = STR_INIT("/w");

/* What the compiler makes of a pattern is what the parser makes of it. */
static void built_in_patterns_are_taken_apart(void **state)
{
	for (size_t i = 0; i < sensitive_count; i++) {
		const struct rule *rule = &sensitive_rows[i].rule;
		const struct ignore_rule *got = &rule->glob;
		struct ignore_rule want;

		assert_true(ignore_parse_line(rule->path, &want));
		assert_true(str_eq(got->pattern, want.pattern));
		assert_int_equal(got->literal, want.literal);
		assert_int_equal(got->only_name, want.only_name);
		assert_int_equal(got->only_directory, want.only_directory);
		assert_int_equal(got->negated, want.negated);
	}
}

/*
 * C100: wherever the root is, except for names that ordinary parent directories
 * may have.
 */
static void sensitive_paths_are_judged_by_where_they_are(void **state)
{
	static const struct {
		const char *root, *base, *path;
		enum verdict want;
	} rows[] = {
		{ "/h/p/.git", "/h/p/.git", "/h/p/.git/hooks/x", ASK },
		{ "/h/.ssh", "/h/.ssh", "/h/.ssh/authorized_keys", ASK },
		{ "/h/.ssh/x", "/h/.ssh/x", "/h/.ssh/x/y", ASK },
		{ "/h/.github/workflows", "/h/.github/workflows",
		  "/h/.github/workflows/ci.yml", ASK },
		{ "/h/.GIT", "/h/.GIT", "/h/.GIT/config", ASK },
		{ "/h/.stet", "/h/.stet", "/h/.stet/config.json", NO },
		/* the person named a directory beneath the word */
		{ "/h/secret-project", "/h/secret-project",
		  "/h/secret-project/a.c", YES },
		{ "/h/secret-project", "/h/secret-project",
		  "/h/secret-project/secret.c", ASK },
		{ "/h/.cursor/worktrees/p", "/h/.cursor/worktrees/p",
		  "/h/.cursor/worktrees/p/a.c", YES },
		{ "/h/.envs/p", "/h/.envs/p", "/h/.envs/p/a.c", YES },
		/* a client did: from where stet was started, or all of it */
		{ "/h/p/secrets", "/h", "/h/p/secrets/a", ASK },
		{ "/h/p/secrets", "/other", "/h/p/secrets/a", ASK },
		{ "/h/p", "/other", "/h/p/a", YES },
		{ "/h/p", "/other", "/h/p/HEAD", ASK },
		{ "/h/head", "/other", "/h/head/a", YES },
	};

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		const struct str at = str_of(rows[i].root);
		const struct str base = str_of(rows[i].base);
		struct action d = { .tool = tool_named(STR("edit_text_file")),
				    .changes = true };
		struct decision got;
		struct rules rules = { .base = &base, .base_count = 1 };
		auto_arena mem = ARENA_INIT;

		action_place(&d, str_of(rows[i].path), STR(""), &at, 1, &mem);
		rules_decide(&rules, &d, &got);
		if (got.verdict != rows[i].want)
			print_message("# %s %s\n", rows[i].root, rows[i].path);
		assert_int_equal(got.verdict, rows[i].want);
	}
}

/* The name that a pattern is for, with @in in place of its stars. */
static struct str example(const struct sensitive *row, struct arena *mem)
{
	struct str path = row->rule.path;
	auto_buf out = BUF_INIT;

	if (str_starts(path, STR("**/")))
		path = str_skip(path, 3);
	for (size_t i = 0; i < path.len; i++)
		buf_addc(&out, path.ptr[i] == '*' ? 'x' : path.ptr[i]);
	return arena_copy(mem, buf_str(&out));
}

/* C100: each row is found by letters as the glob itself would fit. */
static void every_row_is_found(void **state)
{
	for (size_t i = 0; i < sensitive_count; i++) {
		const struct sensitive *row = &sensitive_rows[i], *found;
		struct action d = { .changes = true };
		struct rules rules = { .base = &root, .base_count = 1 };
		auto_arena mem = ARENA_INIT;
		struct str path;

		path = arena_printf(&mem, "/w/a/" STR_FMT,
				    STR_ARG(example(row, &mem)));
		action_place(&d, path, STR(""), &root, 1, &mem);
		found = sensitive_find(&rules, &d);
		if (!found)
			print_message("# " STR_FMT "\n", STR_ARG(path));
		assert_non_null(found);
		assert_true(rule_fits_within(&found->rule.glob,
					     str_skip(path, 1),
					     /* is_dir= */ false, GLOB_CASELESS,
					     NULL));
		assert_true(row->reason && row->reason[0]);
		/* and by none when a letter more makes it another name */
		path = arena_printf(&mem, "/w/a/q" STR_FMT "q",
				    STR_ARG(example(row, &mem)));
		action_place(&d, path, STR(""), &root, 1, &mem);
		found = sensitive_find(&rules, &d);
		assert_true(!found || rule_fits_within(&found->rule.glob,
						       str_skip(path, 1),
						       /* is_dir= */ false,
						       GLOB_CASELESS, NULL));
	}
}

/* X15: a client's root must not be one of them. */
static void a_directory_may_be_sensitive_itself(void **state)
{
	assert_non_null(sensitive_place(STR("/h/.ssh")));
	assert_non_null(sensitive_place(STR("/h/p/.git/hooks")));
	assert_non_null(sensitive_place(STR("/h/.config/autostart")));
	assert_null(sensitive_place(STR("/h/secret-project/app")));
	assert_null(sensitive_place(STR("/h/.cursor/worktrees/p")));
	assert_null(sensitive_place(STR("/h/head")));
	assert_null(sensitive_place(STR("/h/.config")));
}

/* 14.9: which rows ask before a file is read, one by one. */
static void secrets_are_asked_for_before_they_are_read(void **state)
{
	static const struct {
		const char *path;
		enum verdict read;
	} rows[] = {
		{ "/w/.env", ASK },
		{ "/w/.env.local", ASK },
		{ "/w/.ENV", ASK },
		{ "/w/.envs/a", ASK },
		{ "/w/prod.env", ASK },
		{ "/w/.envrc", ASK },
		{ "/w/x.pem", ASK },
		{ "/w/.ssh/config", ASK },
		{ "/w/.ssh/known_hosts", ASK },
		{ "/w/id_rsa", ASK },
		{ "/w/.npmrc", ASK },
		{ "/w/.aws/x", ASK },
		{ "/w/.git/.env", ASK },
		{ "/w/.config/gh/hosts.yml", ASK },
		{ "/w/.codex/auth.json", ASK },
		{ "/w/secrets/x.pub", ASK },
		{ "/w/secret/.env.example", ASK },
		{ "/w/.env.example/key", ASK },
		{ "/w/.env.example~", ASK },
		{ "/w/.env.example.local", ASK },
		{ "/w/.env.example\u00df", ASK },
		{ "/w/id_rsa.pub.bak", ASK },
		{ "/w/.env.example", YES },
		{ "/w/.Env.Example", YES },
		{ "/w/.env.test.sample", YES },
		{ "/w/.env.template", YES },
		{ "/w/.env.dist", YES },
		{ "/w/id_ed25519.pub", YES },
		{ "/w/.ssh/work.pub", YES },
		{ "/w/.git/config", YES },
		{ "/w/.git/HEAD", YES },
		{ "/w/.bashrc", YES },
		{ "/w/.vscode/tasks.json", YES },
		{ "/w/.codex/config.toml", YES },
		{ "/w/known_hosts", YES },
		{ "/w/sudoers", YES },
		{ "/w/environment.c", YES },
	};

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct action d = { .tool = tool_named(STR("Read")) };
		struct rules rules = { .base = &root, .base_count = 1 };
		auto_arena mem = ARENA_INIT;
		struct decision got;

		action_place(&d, str_of(rows[i].path), STR(""), &root, 1, &mem);
		rules_decide(&rules, &d, &got);
		if (got.verdict != rows[i].read)
			print_message("# %s\n", rows[i].path);
		assert_int_equal(got.verdict, rows[i].read);
	}
}

/* 14.9: all that is secret asks; what asks has a rule for all tools. */
static void the_column_agrees_with_the_rule(void **state)
{
	size_t asked = 0;

	for (size_t i = 0; i < sensitive_count; i++) {
		const struct sensitive *row = &sensitive_rows[i];
		struct action d = { 0 };
		struct rules rules = { .base = &root, .base_count = 1 };
		auto_arena mem = ARENA_INIT;

		assert_true(row->reads || row->kind != SENSITIVE_SECRET);
		assert_true(row->reads || !row->open);
		assert_int_equal(row->reads, str_is(row->rule.tool, "*"));
		assert_true(str_starts(row->rule.text, row->rule.tool));
		action_place(&d,
			     arena_printf(&mem, "/w/a/" STR_FMT,
					  STR_ARG(example(row, &mem))),
			     STR(""), &root, 1, &mem);
		if (row->reads)
			assert_non_null(sensitive_find(&rules, &d));
		asked += row->reads;
	}
	assert_true(asked > 50 && asked < sensitive_count / 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(built_in_patterns_are_taken_apart),
		cmocka_unit_test(sensitive_paths_are_judged_by_where_they_are),
		cmocka_unit_test(every_row_is_found),
		cmocka_unit_test(a_directory_may_be_sensitive_itself),
		cmocka_unit_test(secrets_are_asked_for_before_they_are_read),
		cmocka_unit_test(the_column_agrees_with_the_rule),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
