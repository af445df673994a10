/*
 * test_rules.c - decisions of the rules: X14 as a table of every mode and kind
 * of action, and the order of A52.
 *
 * C58 C59 C60 C84 C98 C99 C100
 */
#include "../unit.h"

#include "tools/permissions/rules.h"

static const struct str root = STR_INIT("/w");

/* A set of rules from "deny write(x)", and so on; "" ends it. */
struct made {
	struct arena mem;
	struct rule rule[8];
	struct ignore_set set;
	struct rules rules;
};

static void add(struct made *m, const char *line)
{
	struct str text = str_of(line), verdict;
	struct rule *rule = &m->rule[m->rules.count++];
	struct fault f;

	assert_true(str_split(&text, ' ', &verdict));
	rule->verdict = str_is(verdict, "deny")  ? VERDICT_DENY
			: str_is(verdict, "ask") ? VERDICT_ASK
						 : VERDICT_ALLOW;
	rule->home = STR("/h/me");
	assert_int_equal(rule_parse(text, &m->mem, rule, &f), ERR_OK);
	m->rules.rule = m->rule;
}

static struct decision decide(struct made *m, const char *tool,
			      const char *path, const char *key)
{
	struct action d = { .tool = tool_named(str_of(tool)) };
	struct decision got = { 0 };

	assert_non_null(d.tool);
	d.changes = effects_change(d.tool->effects);
	action_place(&d, str_of(path), str_of(key), &root, 1, &m->mem);
	rules_decide(&m->rules, &d, &got);
	return got;
}

static void make(struct made *m)
{
	*m = (struct made){ .mem = ARENA_INIT };
	m->rules.base = &root;
	m->rules.base_count = 1;
}

#define YES VERDICT_ALLOW
#define ASK VERDICT_ASK
#define NO  VERDICT_DENY

/* In the order of enum mode: default, plan, acceptEdits, bypass, yolo. */
static const struct {
	const char *tool, *path;
	enum verdict want[5];
	const char *reason; /* in mode default */
} actions[] = {
	{ "read_text_file", "/w/a.c", { YES, YES, YES, YES, YES }, "mode" },
	{ "edit_text_file", "/w/a.c", { YES, NO, YES, YES, YES }, "mode" },
	{ "write_text_file", "/w/a.c", { YES, NO, YES, YES, YES }, "mode" },
	/* ask rules */
	{ "read_text_file", "/w/asked/a", { YES, YES, YES, YES, YES }, "mode" },
	{ "edit_text_file", "/w/asked/a", { ASK, NO, YES, YES, YES }, "rule" },
	{ "read_text_file", "/w/look/a", { ASK, ASK, ASK, YES, YES }, "rule" },
	/* deny rules */
	{ "read_text_file", "/w/hidden/a", { NO, NO, NO, NO, YES }, "rule" },
	{ "edit_text_file", "/w/hidden/a", { NO, NO, NO, NO, YES }, "rule" },
	{ "read_text_file", "/w/fixed/a", { YES, YES, YES, YES, YES }, "mode" },
	{ "edit_text_file", "/w/fixed/a", { NO, NO, NO, NO, YES }, "rule" },
	/* sensitive paths */
	{ "read_text_file",
	  "/w/.env",
	  { ASK, ASK, ASK, YES, YES },
	  "sensitive" },
	{ "file_history", "/w/.env", { ASK, ASK, ASK, YES, YES }, "sensitive" },
	{ "read_text_file",
	  "/w/.env.example",
	  { YES, YES, YES, YES, YES },
	  "mode" },
	{ "read_text_file", "/w/.bashrc", { YES, YES, YES, YES, YES }, "mode" },
	{ "edit_text_file",
	  "/w/.env",
	  { ASK, NO, ASK, YES, YES },
	  "sensitive" },
	{ "edit_text_file",
	  "/w/free/.env",
	  { YES, NO, YES, YES, YES },
	  "rule" },
	/* ignored */
	{ "read_text_file", "/w/gone/a", { YES, YES, YES, YES, YES }, "mode" },
	{ "edit_text_file", "/w/gone/a", { NO, NO, NO, NO, NO }, "ignored" },
	/* our own */
	{ "read_text_file", "/w/.stet/c", { YES, YES, YES, YES, YES }, "mode" },
	{ "edit_text_file", "/w/.stet/c", { NO, NO, NO, NO, NO }, "config" },
	{ "edit_text_file", "/w/d/.Stet/c", { NO, NO, NO, NO, NO }, "config" },
	/* touches nothing */
	{ "hello", "/w/a", { YES, YES, YES, YES, YES }, "mode" },
};

/* X14 */
static void every_mode_decides_every_deed(void **state)
{
	struct made m;

	make(&m);
	add(&m, "ask write(asked)");
	add(&m, "ask *(look)");
	add(&m, "deny *(hidden)");
	add(&m, "deny write(/fixed)");
	add(&m, "allow write(free)");
	add(&m, "allow write");
	ignore_parse(STR("gone/\n"), &m.mem, &m.set.list);
	m.set.list.source = STR("--ignore");
	m.rules.ignore = &m.set;
	m.rules.ignore_count = 1;
	for (size_t i = 0; i < COUNT_OF(actions); i++)
		for (int mode = 0; mode < 5; mode++) {
			struct decision got;

			m.rules.mode = (enum mode)mode;
			got = decide(&m, actions[i].tool, actions[i].path,
				     actions[i].path);
			if (got.verdict != actions[i].want[mode])
				print_message("# %s %s %s\n", actions[i].tool,
					      actions[i].path,
					      mode_name(m.rules.mode));
			assert_int_equal(got.verdict, actions[i].want[mode]);
			if (mode == MODE_PLAN && got.verdict == NO &&
			    strcmp(got.reason, "config") != 0 &&
			    strcmp(actions[i].tool, "read_text_file") != 0)
				assert_string_equal(got.reason, "plan_mode");
			/* "allow write" allows ordinary edits */
			if (mode == MODE_DEFAULT && got.verdict != YES)
				assert_string_equal(got.reason,
						    actions[i].reason);
		}
	arena_free(&m.mem);
}

/* X14: without a rule the mode is the reason, and a rule is named. C58 C99 */
static void an_allowed_deed_says_why(void **state)
{
	struct made m;
	struct decision got;

	make(&m);
	got = decide(&m, "edit_text_file", "/w/a.c", "");
	assert_int_equal(got.verdict, YES);
	assert_string_equal(got.reason, "mode");
	assert_null(got.rule);
	add(&m, "allow edit_text_file");
	got = decide(&m, "edit_text_file", "/w/a.c", "");
	assert_string_equal(got.reason, "rule");
	assert_ptr_equal(got.rule, &m.rule[0]);
	/* a rule for one tool is not one for another */
	got = decide(&m, "write_text_file", "/w/a.c", "");
	assert_null(got.rule);
	/* C99: and not for a sensitive file, unless the rule names its path */
	got = decide(&m, "edit_text_file", "/w/.env.example", "");
	assert_int_equal(got.verdict, ASK);
	add(&m, "allow edit_text_file(.env.example)");
	got = decide(&m, "edit_text_file", "/w/.env.example", "");
	assert_int_equal(got.verdict, YES);
	assert_ptr_equal(got.rule, &m.rule[1]);
	arena_free(&m.mem);
}

/* A52 C59: deny, then ask, then allow, whatever order they stand in. */
static void deny_wins_over_ask_and_ask_over_allow(void **state)
{
	struct made m;

	make(&m);
	add(&m, "allow write(a)");
	assert_int_equal(decide(&m, "edit_text_file", "/w/a", "").verdict, YES);
	add(&m, "ask write(a)");
	assert_int_equal(decide(&m, "edit_text_file", "/w/a", "").verdict, ASK);
	add(&m, "deny write(a)");
	assert_int_equal(decide(&m, "edit_text_file", "/w/a", "").verdict, NO);
	assert_int_equal(decide(&m, "read_text_file", "/w/a", "").verdict, YES);
	arena_free(&m.mem);
}

static const struct {
	const char *rule, *path, *key;
	enum verdict want; /* of read_text_file */
} places[] = {
	/* C59: the given path, and the path without symlinks */
	{ "deny *(secret)", "/w/secret", "/w/b", NO },
	{ "deny *(secret)", "/w/b", "/w/secret", NO },
	{ "deny *(secret)", "/w/./x/..//secret", "/w/b", NO },
	{ "deny *(secret)", "/alias/b", "/w/secret", NO },
	{ "deny *(secret)", "/w/deep/secret/x/y", "", NO },
	{ "deny *(secret/)", "/w/secret/x", "", NO },
	{ "deny *(/secret)", "/w/deep/secret", "", ASK }, /* by its name */
	{ "deny *(/hidden)", "/w/deep/hidden", "", YES },
	{ "deny *(a/b)", "/w/a/b/c", "", NO },
	{ "deny *(a/b)", "/w/x/a/b", "", YES },
	{ "deny *(**/a/b)", "/w/x/a/b", "", NO },
	/* rules that deny ignore case */
	{ "deny *(secret)", "/w/SECRET", "", NO },
	{ "deny *(*.PEM)", "/w/a.pem", "", NO },
	/* the directories above the root are not the project's */
	{ "deny *(w)", "/w/x", "", YES },
	/* the whole disk, and home */
	{ "deny *(/w/x)", "/w/x", "", NO },
	{ "deny *(/w/*/y)", "/w/x/y", "", NO },
	{ "deny *(~/x)", "/h/me/x/y", "", NO },
	{ "deny *(~/x)", "/h/you/x", "", YES },
	{ "deny *(~/x)", "/w/a", "/h/me/x", NO },
	/* a name with brackets */
	{ "deny *(a (1).txt)", "/w/a (1).txt", "", NO },
	/* to deny one reader is to hide the file from all */
	{ "deny read", "/w/a", "", NO },
	{ "deny read_text_file(a)", "/w/a", "", NO },
	{ "deny write(a)", "/w/a", "", YES },
	{ "deny edit_text_file(a)", "/w/a", "", YES },
	/* sizes are for changes */
	{ "deny *(a) bytes>1", "/w/a", "", YES },
};

static void paths_fit_by_every_name_they_have(void **state)
{
	for (size_t i = 0; i < COUNT_OF(places); i++) {
		struct made m;
		struct action d = { 0 };
		enum verdict got;

		make(&m);
		add(&m, places[i].rule);
		got = decide(&m, "read_text_file", places[i].path,
			     places[i].key)
			      .verdict;
		if (got != places[i].want)
			print_message("# %s %s\n", places[i].rule,
				      places[i].path);
		assert_int_equal(got, places[i].want);
		action_place(&d, str_of(places[i].path), str_of(places[i].key),
			     &root, 1, &m.mem);
		assert_int_equal(rules_denied(&m.rules, &d), got == NO);
		if (got == NO) /* and hidden is hidden from every verb */
			assert_int_equal(decide(&m, "write_text_file",
						places[i].path, places[i].key)
						 .verdict,
					 NO);
		arena_free(&m.mem);
	}
}

/* An allow rule must fit under both names, and to the letter. */
static void a_link_does_not_widen_what_is_allowed(void **state)
{
	struct made m;

	make(&m);
	add(&m, "ask write(.profile)");
	add(&m, "allow write(.env)");
	assert_int_equal(decide(&m, "edit_text_file", "/w/.env", "").verdict,
			 YES);
	assert_int_equal(decide(&m, "edit_text_file", "/w/.env", "/w/x.pem")
				 .verdict,
			 ASK);
	assert_int_equal(decide(&m, "edit_text_file", "/w/x.pem", "/w/.env")
				 .verdict,
			 ASK);
	assert_int_equal(decide(&m, "edit_text_file", "/w/.ENV", "").verdict,
			 ASK);
	arena_free(&m.mem);
}

static const struct {
	const char *path;
	enum verdict want;
} guarded[] = {
	{ "/w/.env", ASK },
	{ "/w/a/.env.local", ASK },
	{ "/w/a/.ENV", ASK },
	{ "/w/server.pem", ASK },
	{ "/w/server.key", ASK },
	{ "/w/.ssh/config", ASK },
	{ "/w/id_ed25519", ASK },
	{ "/w/id_map.c", YES },
	{ "/w/my-secrets.yml", ASK },
	{ "/w/secrets/a", ASK },
	{ "/w/aws_credentials", ASK },
	{ "/w/.git/hooks/pre-commit", ASK },
	{ "/w/sub/.git/config", ASK },
	{ "/w/.gitignore", YES },
	{ "/w/.github/workflows/ci.yml", ASK },
	{ "/w/sub/.github/workflows/ci.yml", ASK },
	{ "/w/.github/README.md", YES },
	{ "/w/.gitlab-ci.yml", ASK },
	{ "/w/Jenkinsfile", ASK },
	{ "/w/.bashrc", ASK },
	{ "/w/.zshrc", ASK },
	{ "/w/.stetignore", ASK },
	{ "/w/.stet/config.json", NO },
	{ "/w/.mcp.json", ASK },
	{ "/w/.cursor/mcp.json", ASK },
	{ "/w/.codex/config.toml", ASK },
	{ "/w/.claude/settings.json", ASK },
	{ "/w/.claude/settings.local.json", ASK },
	{ "/w/.claude/memory/a.md", YES },
	{ "/w/.gemini/settings.json", ASK },
	{ "/w/.vscode/tasks.json", ASK },
	{ "/w/.vscode/settings.json", ASK },
	{ "/w/.vscode/launch.json", ASK },
	{ "/w/.vscode/notes.md", YES },
	{ "/w/.idea/workspace.xml", ASK },
	{ "/w/.zed/tasks.json", ASK },
	{ "/w/.gitconfig", ASK },
	{ "/w/.gitmodules", ASK },
	{ "/w/.gitattributes", YES },
	{ "/w/.husky/pre-commit", ASK },
	{ "/w/.pre-commit-config.yaml", ASK },
	{ "/w/sub/HEAD", ASK },
	{ "/w/head/a.c", YES },
	{ "/w/mine.git/config", ASK },
	{ "/w/.zshenv", ASK },
	{ "/w/.netrc", ASK },
	{ "/w/.pgpass", ASK },
	{ "/w/.npmrc", ASK },
	{ "/w/.envrc", ASK },
	{ "/w/.yarnrc.yml", ASK },
	{ "/w/pip.conf", ASK },
	{ "/w/Makefile", YES },
	{ "/w/package.json", YES },
	{ "/w/.config/systemd/user/x.service", ASK },
	{ "/w/.config/autostart/x.desktop", ASK },
	{ "/w/crontab", ASK },
	{ "/w/.aws/config", ASK },
	{ "/w/.config/gcloud/x", ASK },
	{ "/w/.azure/x", ASK },
	{ "/w/.kube/config", ASK },
	{ "/w/.docker/config.json", ASK },
	{ "/w/.git-credentials", ASK },
	{ "/w/.config/other/x", YES },
	{ "/w/config/x", YES },
	{ "/w/environment.c", YES },
	{ "/w/keyboard.c", YES },
};

/* C100: sensitive paths need approval, others do not. */
static void sensitive_paths_ask(void **state)
{
	for (size_t i = 0; i < COUNT_OF(guarded); i++) {
		struct made m;
		enum verdict got;

		make(&m);
		got = decide(&m, "edit_text_file", guarded[i].path, "").verdict;
		if (got != guarded[i].want)
			print_message("# %s\n", guarded[i].path);
		assert_int_equal(got, guarded[i].want);
		/* also by the key */
		got = decide(&m, "edit_text_file", "/w/x", guarded[i].path)
			      .verdict;
		assert_int_equal(got, guarded[i].want);
		arena_free(&m.mem);
	}
}

static void sizes_are_conditions(void **state)
{
	struct made m;
	struct action d = { .changes = true };
	struct decision got;

	make(&m);
	add(&m, "ask write lines_removed>40");
	add(&m, "deny write bytes>1000 lines_removed>5");
	d.tool = tool_named(STR("edit_text_file"));
	action_place(&d, STR("/w/a"), STR(""), &root, 1, &m.mem);
	/* an unknown size counts as over the limit */
	rules_decide(&m.rules, &d, &got);
	assert_int_equal(got.verdict, NO);
	d.known_size = true;
	d.lines_removed = 40;
	d.bytes = 1000;
	rules_decide(&m.rules, &d, &got);
	assert_int_equal(got.verdict, YES);
	d.lines_removed = 41;
	rules_decide(&m.rules, &d, &got);
	assert_int_equal(got.verdict, ASK);
	d.bytes = 1001;
	rules_decide(&m.rules, &d, &got);
	assert_int_equal(got.verdict, NO);
	d.lines_removed = 5;
	rules_decide(&m.rules, &d, &got);
	assert_int_equal(got.verdict, YES);
	arena_free(&m.mem);
}

/* V19 */
static void names_of_claude_are_wide_in_deny_and_ask(void **state)
{
	static const char *const changing[] = { "Edit", "Write", "MultiEdit",
						"NotebookEdit" };
	static const char *const reading[] = { "Read", "Grep", "Glob" };
	const char *line[] = { "deny", "ask", "allow" };
	static const enum verdict verdict[] = { NO, ASK, YES };

	for (size_t v = 0; v < COUNT_OF(verdict); v++)
		for (size_t i = 0; i < COUNT_OF(changing); i++)
			for (size_t t = 0; t < all_tools_count; t++) {
				const struct tool *tool = all_tools[t];
				struct made m;
				enum verdict got, want = YES;

				make(&m);
				add(&m, arena_printf(&m.mem, "%s %s(x)",
						     line[v], changing[i])
						.ptr);
				if (effects_change(tool->effects))
					want = verdict[v];
				got = decide(&m, tool->name, "/w/x", "")
					      .verdict;
				assert_int_equal(got, want);
				arena_free(&m.mem);
			}
	for (size_t i = 0; i < COUNT_OF(reading); i++)
		for (size_t t = 0; t < all_tools_count; t++) {
			const struct tool *tool = all_tools[t];
			struct made m;

			make(&m);
			add(&m,
			    arena_printf(&m.mem, "deny %s(x)", reading[i]).ptr);
			assert_int_equal(
				decide(&m, tool->name, "/w/x", "").verdict, NO);
			arena_free(&m.mem);
			make(&m);
			add(&m,
			    arena_printf(&m.mem, "ask %s(x)", reading[i]).ptr);
			assert_int_equal(
				decide(&m, tool->name, "/w/x", "").verdict,
				tool->effects == TOOL_READS ||
						tool->effects == TOOL_PURE
					? ASK
					: YES);
			arena_free(&m.mem);
		}
}

/* V19: allow Edit(.env) lets no other tool change it. */
static void a_name_allows_one_tool(void **state)
{
	struct made m;

	make(&m);
	add(&m, "allow Edit(.env)");
	assert_int_equal(decide(&m, "Edit", "/w/.env", "").verdict, YES);
	assert_int_equal(decide(&m, "Write", "/w/.env", "").verdict, ASK);
	assert_int_equal(decide(&m, "edit_text_file", "/w/.env", "").verdict,
			 ASK);
	arena_free(&m.mem);
}

/* V20 */
static void the_number_of_files_is_a_condition(void **state)
{
	static const struct {
		size_t files;
		enum verdict want;
	} rows[] = { { 1, YES }, { 2, YES }, { 3, ASK },
		     { 5, ASK }, { 6, NO },  { 0, NO /* not known yet */ } };
	struct made m;
	struct action d = { .changes = true, .known_size = true };
	struct decision got;

	make(&m);
	add(&m, "ask write files>2");
	add(&m, "deny Edit files>5");
	d.tool = tool_named(STR("edit_text_file"));
	action_place(&d, STR("/w/a"), STR(""), &root, 1, &m.mem);
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		d.files = rows[i].files;
		rules_decide(&m.rules, &d, &got);
		assert_int_equal(got.verdict, rows[i].want);
	}
	/* it hides nothing, and says nothing of reads */
	assert_false(rules_denied(&m.rules, &d));
	assert_int_equal(decide(&m, "Read", "/w/a", "").verdict, YES);
	arena_free(&m.mem);
}

/* V80: an allow rule with a path is enough, one without is not. */
static void deleting_many_files_asks(void **state)
{
	static const struct tool deletes = { .name = "delete_file",
					     .effects = TOOL_EDITS };
	static const struct {
		size_t files;
		const char *rule;
		enum mode mode;
		enum verdict want;
	} rows[] = {
		{ 20, NULL, MODE_DEFAULT, YES },
		{ 21, NULL, MODE_DEFAULT, ASK },
		{ 21, NULL, MODE_ACCEPT_EDITS, ASK },
		{ 21, NULL, MODE_BYPASS, YES },
		{ 21, "allow write", MODE_DEFAULT, ASK },
		{ 21, "allow write(dir)", MODE_DEFAULT, YES },
		{ 21, "deny write(dir)", MODE_DEFAULT, NO },
	};

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct made m;
		struct action d = { .tool = &deletes,
				    .changes = true,
				    .directory = true,
				    .files = rows[i].files };
		struct decision got;

		make(&m);
		m.rules.mode = rows[i].mode;
		if (rows[i].rule)
			add(&m, rows[i].rule);
		action_place(&d, STR("/w/dir"), STR(""), &root, 1, &m.mem);
		rules_decide(&m.rules, &d, &got);
		assert_int_equal(got.verdict, rows[i].want);
		arena_free(&m.mem);
	}
}

/* V68 */
static void a_directory_with_a_repository_asks(void **state)
{
	struct made m;
	struct action d = { .changes = true,
			    .directory = true,
			    .holds_repository = true };
	struct decision got;

	make(&m);
	d.tool = tool_named(STR("edit_text_file"));
	action_place(&d, STR("/w/dir"), STR(""), &root, 1, &m.mem);
	rules_decide(&m.rules, &d, &got);
	assert_int_equal(got.verdict, ASK);
	assert_string_equal(got.reason, "sensitive");
	d.holds_repository = false;
	rules_decide(&m.rules, &d, &got);
	assert_int_equal(got.verdict, YES);
	action_place(&d, STR("/w/.git/hooks"), STR(""), &root, 1, &m.mem);
	rules_decide(&m.rules, &d, &got);
	assert_int_equal(got.verdict, ASK);
	arena_free(&m.mem);
}

/* A rule of one root's own settings says nothing of another root. */
static void a_rule_of_a_root_stays_there(void **state)
{
	static const struct str roots[] = { STR_INIT("/w"), STR_INIT("/v"),
					    STR_INIT("/w/in") };
	struct made m;
	struct action d = { 0 };

	make(&m);
	add(&m, "deny *(a)");
	m.rule[0].root = STR("/v");
	action_place(&d, STR("/v/a"), STR(""), roots, 3, &m.mem);
	assert_true(rules_denied(&m.rules, &d));
	action_place(&d, STR("/w/a"), STR(""), roots, 3, &m.mem);
	assert_false(rules_denied(&m.rules, &d));
	/* the outermost root is the file's own, and it is in both */
	action_place(&d, STR("/w/in/x/a"), STR(""), roots, 3, &m.mem);
	assert_str(d.root, "/w");
	assert_str(d.key_part, "in/x/a");
	assert_int_equal(d.spot_count, 2);
	arena_free(&m.mem);
}

static const struct str nested[] = { STR_INIT("/w"), STR_INIT("/w/sub"),
				     STR_INIT("/w/sub/deep") };

static enum verdict decide_nested(struct made *m, const char *path)
{
	struct action d = { .tool = tool_named(STR("edit_text_file")),
			    .changes = true };
	struct decision got;

	action_place(&d, str_of(path), STR(""), nested, COUNT_OF(nested),
		     &m->mem);
	rules_decide(&m->rules, &d, &got);
	return got.verdict;
}

/* A52 C59: forbidden from one of the roots, allowed from all of them. */
static void every_enclosing_root_counts(void **state)
{
	static const struct {
		const char *rule, *root, *path;
		enum verdict want;
	} rows[] = {
		{ "deny write(/sub/a)", "", "/w/sub/a", NO },
		{ "deny write(/a)", "", "/w/sub/a", NO },
		{ "deny write(/a)", "", "/w/sub/deep/a", NO },
		{ "deny write(/b)", "", "/w/sub/a", YES },
		{ "deny write(sub)", "", "/w/sub/a", NO },
		{ "deny write(w)", "", "/w/sub/a", YES },
		/* of a project's own settings, from that root */
		{ "deny write(/sub/a)", "/w", "/w/sub/a", NO },
		{ "deny write", "/w", "/w/sub/deep/a", NO },
		{ "deny write(/sub/a)", "/w/sub", "/w/sub/a", YES },
		{ "deny write(/a)", "/w/sub", "/w/sub/a", NO },
		{ "deny write(/a)", "/w/sub", "/w/a", YES },
		{ "ask write(deep)", "/w", "/w/sub/deep/a", ASK },
		/* an allow rule for a sensitive file */
		{ "allow write(/sub/.env)", "", "/w/sub/.env", ASK },
		{ "allow write(.env)", "", "/w/sub/.env", YES },
		{ "allow write(/.env)", "", "/w/.env", YES },
		{ "allow write(/.env)", "", "/w/sub/.env", ASK },
		{ "allow write(/w/sub/.env)", "", "/w/sub/.env", YES },
		{ "allow write(/sub/.env)", "/w", "/w/sub/.env", YES },
		{ "allow write(.env)", "/v", "/w/sub/.env", ASK },
	};

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct made m;

		make(&m);
		add(&m, rows[i].rule);
		m.rule[0].root = str_of(rows[i].root);
		if (decide_nested(&m, rows[i].path) != rows[i].want)
			print_message("# %s %s\n", rows[i].rule, rows[i].path);
		assert_int_equal(decide_nested(&m, rows[i].path), rows[i].want);
		arena_free(&m.mem);
	}
}

/* C100: a case-insensitive file system does not evade rules. */
static void other_spellings_of_a_name_are_the_name(void **state)
{
	static const struct {
		const char *path;
		enum verdict want;
	} rows[] = {
		{ "/w/.gi\xe2\x80\x8bt/config", ASK },
		{ "/w/.\xc3\x9fh/config", ASK },
		{ "/w/.git./config", ASK },
		{ "/w/.\xef\xac\x86"
		  "et/config.json",
		  NO },
		{ "/w/den\xe2\x80\x8died", NO },
		{ "/w/stra\xc3\x9f"
		  "e",
		  YES },
	};
	struct made m;

	make(&m);
	add(&m, "deny write(denied)");
	for (size_t i = 0; i < COUNT_OF(rows); i++)
		assert_int_equal(decide(&m, "edit_text_file", rows[i].path, "")
					 .verdict,
				 rows[i].want);
	arena_free(&m.mem);
}

static const struct {
	const char *text, *told; /* NULL = fine */
} specs[] = {
	{ "*", NULL },
	{ "write(src/**)", NULL },
	{ "contract(x)", NULL },
	{ "write lines_removed>40", NULL },
	{ "write(a b) bytes>1  lines_removed>2", NULL },
	{ "", "no tool or family" },
	{ "src/**", "TOOL(GLOB)" },
	{ "wriet(x)", "did you mean write?" },
	{ "write(x", ") is missing" },
	{ "write()", "not a path pattern" },
	{ "write(!x)", "not a path pattern" },
	{ "write(#x)", "not a path pattern" },
	{ "write lines>4", "not a condition" },
	{ "write bytes>", "not a condition" },
	{ "write bytes>x", "not a condition" },
	{ "write bytes>99999999999999999999", "not a condition" },
	{ "write(x)y", "not a condition" },
};

static void mistakes_in_rules_are_told(void **state)
{
	for (size_t i = 0; i < COUNT_OF(specs); i++) {
		auto_arena mem = ARENA_INIT;
		struct rule rule = { 0 };
		struct fault f = { 0 };
		enum err e = rule_parse(str_of(specs[i].text), &mem, &rule, &f);

		assert_int_equal(e, specs[i].told ? ERR_BAD_ARGS : ERR_OK);
		if (e)
			assert_non_null(strstr(arena_cstr(&mem, f.text),
					       specs[i].told));
	}
}

/* X14: kebab, snake and camel. */
static void modes_have_three_spellings(void **state)
{
	static const struct {
		const char *name;
		int want; /* -1 = none */
	} names[] = {
		{ "default", MODE_DEFAULT },
		{ "plan", MODE_PLAN },
		{ "acceptEdits", MODE_ACCEPT_EDITS },
		{ "accept-edits", MODE_ACCEPT_EDITS },
		{ "accept_edits", MODE_ACCEPT_EDITS },
		{ "bypassPermissions", MODE_BYPASS },
		{ "bypass-permissions", MODE_BYPASS },
		{ "bypass_permissions", MODE_BYPASS },
		{ "yolo", MODE_YOLO },
		{ "", -1 },
		{ "plan-", -1 },
		{ "bypass", -1 },
		{ "p-lan", -1 },
		{ "accept--edits", -1 },
	};

	for (size_t i = 0; i < COUNT_OF(names); i++) {
		enum mode got = MODE_DEFAULT;
		bool found = mode_named(str_of(names[i].name), &got);

		assert_int_equal(found ? (int)got : -1, names[i].want);
	}
}

/* C59: a root that a client chose hides nothing that is above it. */
static void the_persons_rules_hold_above_the_root(void **state)
{
	static const struct {
		const char *base, *root, *rule, *path;
		enum verdict want;
	} rows[] = {
		{ "/w", "/w/private", "deny *(private)", "/w/private/k", NO },
		{ "/w", "/w/conf", "deny *(conf/prod)", "/w/conf/prod", NO },
		{ "/w", "/w/conf", "deny *(/conf)", "/w/conf/prod", NO },
		{ "/w", "/w/a/b/c", "deny *(b/c/x)", "/w/a/b/c/x", NO },
		{ "/w", "/w/CONF", "ask *(conf/prod)", "/w/CONF/prod", ASK },
		{ "/", "/w/conf", "deny *(conf/prod)", "/w/conf/prod", NO },
		{ "/v", "/w/private", "deny *(private)", "/w/private/k", NO },
		{ "/v", "/w/conf", "deny *(conf/prod)", "/w/conf/prod", NO },
		{ "/w/sub", "/w", "deny *(/private)", "/w/sub/private/k", NO },
		/* and the harmless ones */
		{ "/w", "/w/conf", "deny *(private)", "/w/conf/prod", YES },
		{ "/w", "/w/conf", "deny *(conf/prod)", "/w/conf/a/prod", YES },
		{ "/w", "/w/conf", "deny *(/prod)", "/w/conf/a/prod", YES },
		{ "/w", "/w/conf", "deny *(w)", "/w/conf/prod", YES },
		{ "/private", "/private", "deny *(private)", "/private/a",
		  YES },
		/* names above the root never allow anything */
		{ "/w", "/w/conf", "allow *(conf/.env)", "/w/conf/.env", ASK },
		{ "/w", "/w/conf", "allow *(/.env)", "/w/conf/.env", YES },
	};

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct str base = str_of(rows[i].base);
		struct str at = str_of(rows[i].root);
		struct action d = { .tool = tool_named(STR("edit_text_file")),
				    .changes = true };
		struct decision got;
		struct made m;

		make(&m);
		m.rules.base = &base;
		add(&m, rows[i].rule);
		action_place(&d, str_of(rows[i].path), STR(""), &at, 1, &m.mem);
		action_place_above(&d, &m.rules, &m.mem);
		rules_decide(&m.rules, &d, &got);
		if (got.verdict != rows[i].want)
			print_message("# %s from %s in %s\n", rows[i].rule,
				      rows[i].base, rows[i].root);
		assert_int_equal(got.verdict, rows[i].want);
		arena_free(&m.mem);
	}
}

/* C59: and nothing that the project around it forbids; see enclosing.h. */
static void the_project_around_a_root_counts(void **state)
{
	static const struct str project = STR_INIT("/w/proj");
	static const struct {
		const char *rule; /* of the project unless @person */
		const char *path;
		bool person;
		enum verdict want;
	} rows[] = {
		{ "deny *(/sub/hidden)", "/w/proj/sub/hidden", false, NO },
		{ "deny *(sub)", "/w/proj/sub/a", false, NO },
		{ "ask write(/sub/a)", "/w/proj/sub/a", false, ASK },
		{ "deny *(/sub/ssh)", "/w/proj/sub/\xc3\x9fh", false, NO },
		/* and the harmless ones */
		{ "deny *(/hidden)", "/w/proj/sub/hidden", false, YES },
		{ "allow *(/sub/.env)", "/w/proj/sub/.env", false, ASK },
		{ "allow *(.env)", "/w/proj/sub/.env", false, ASK },
		{ "deny *(sub)", "/w/proj/sub/a", true, YES },
		{ "deny *(/sub)", "/w/proj/sub/a", true, YES },
	};
	struct str at = STR("/w/proj/sub");

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct action d = { .tool = tool_named(STR("edit_text_file")),
				    .changes = true };
		struct decision got;
		struct made m;

		make(&m);
		m.rules.base = &at;
		m.rules.enclosing = &project;
		m.rules.enclosing_count = 1;
		add(&m, rows[i].rule);
		if (!rows[i].person)
			m.rule[0].root = project;
		action_place(&d, str_of(rows[i].path), STR(""), &at, 1, &m.mem);
		action_place_above(&d, &m.rules, &m.mem);
		rules_decide(&m.rules, &d, &got);
		if (got.verdict != rows[i].want)
			print_message("# %s: %s\n", rows[i].rule, rows[i].path);
		assert_int_equal(got.verdict, rows[i].want);
		arena_free(&m.mem);
	}
}

/* An exhausted budget: rules deny or ask, and allow nothing. */
static void all_rules_are_on_one_account(void **state)
{
	struct glob_budget effort = { .steps = 1000 };
	struct action d = { .tool = tool_named(STR("edit_text_file")),
			    .changes = true,
			    .effort = &effort };
	struct decision got;
	struct made m;

	make(&m);
	add(&m, "allow write(.e*)");
	add(&m, "deny write(*q*a)");
	action_place(&d, STR("/w/.env"), STR(""), &root, 1, &m.mem);
	rules_decide(&m.rules, &d, &got);
	assert_int_equal(got.verdict, YES);
	assert_true(effort.steps < 1000 && !effort.exhausted);
	effort.steps = 1;
	rules_decide(&m.rules, &d, &got);
	assert_int_equal(got.verdict, NO);
	assert_str(got.why, "write(*q*a)");
	assert_true(effort.exhausted);
	m.rules.count = 1;
	rules_decide(&m.rules, &d, &got);
	assert_int_equal(got.verdict, ASK);
	arena_free(&m.mem);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_mode_decides_every_deed),
		cmocka_unit_test(an_allowed_deed_says_why),
		cmocka_unit_test(deny_wins_over_ask_and_ask_over_allow),
		cmocka_unit_test(paths_fit_by_every_name_they_have),
		cmocka_unit_test(a_link_does_not_widen_what_is_allowed),
		cmocka_unit_test(sensitive_paths_ask),
		cmocka_unit_test(names_of_claude_are_wide_in_deny_and_ask),
		cmocka_unit_test(a_name_allows_one_tool),
		cmocka_unit_test(the_number_of_files_is_a_condition),
		cmocka_unit_test(deleting_many_files_asks),
		cmocka_unit_test(a_directory_with_a_repository_asks),
		cmocka_unit_test(sizes_are_conditions),
		cmocka_unit_test(a_rule_of_a_root_stays_there),
		cmocka_unit_test(every_enclosing_root_counts),
		cmocka_unit_test(other_spellings_of_a_name_are_the_name),
		cmocka_unit_test(mistakes_in_rules_are_told),
		cmocka_unit_test(modes_have_three_spellings),
		cmocka_unit_test(the_persons_rules_hold_above_the_root),
		cmocka_unit_test(the_project_around_a_root_counts),
		cmocka_unit_test(all_rules_are_on_one_account),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
