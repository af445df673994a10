/*
 * test_access.c - the access marks of a file: which rule, ignore file or
 * sensitive row applies to it.
 */
#include "../files/scratch.h"

#include "tools/permissions/access.h"
#include "tools/permissions/ignored.h"

static const char *const texts[] = { "read(hidden)", "write(fixed)",
				     "write_text_file(partly)", "write(partly)",
				     "read(asked)" };
static const enum verdict verdicts[] = { VERDICT_DENY, VERDICT_DENY,
					 VERDICT_DENY, VERDICT_ASK,
					 VERDICT_ASK };

/* "mark: why" of each, joined by "; ". */
static const char *marks(struct scratch *s, const struct rules *r,
			 const char *name, bool directory, bool *content)
{
	struct str path = scratch_str(s, name);
	struct access a;
	auto_buf out = BUF_INIT;

	access_of(&(struct access_want){ r, s->ws, path, path, directory },
		  &s->mem, &a);
	for (size_t i = 0; i < a.count; i++) {
		buf_addf(&out, "%s%s: ", i ? "; " : "", a.mark[i].mark);
		buf_add(&out, a.mark[i].why);
	}
	*content = a.content;
	return arena_cstr(&s->mem, buf_str(&out));
}

static void each_mark_has_its_reason(void **state)
{
	static const struct {
		const char *name;
		bool directory, content;
		const char *want;
	} rows[] = {
		{ "root/plain", false, true, "" },
		{ "root/hidden", true, false,
		  "hidden: deny read(hidden) (--x)" },
		{ "root/hidden/a", false, false,
		  "hidden: deny read(hidden) (--x)" },
		{ "root/fixed", false, true,
		  "denied: deny write(fixed) (--x)" },
		{ "root/asked", false, false,
		  "asks-read: ask read(asked) (--x)" },
		{ "root/.env", false, false,
		  "asks-read: ask *(.env*) (built in); "
		  "sensitive: .env*: environment files hold passwords and keys" },
		{ "root/.git", true, false,
		  "sensitive: .git: hooks, and settings that run commands" },
		{ "root/.stet/config.json", false, false, NULL },
	};
	auto_scratch s = scratch_make();
	struct str base = scratch_str(&s, "root");
	struct rule rule[COUNT_OF(texts)] = { 0 };
	struct rules r = { .rule = rule,
			   .count = COUNT_OF(rule),
			   .base = &base,
			   .base_count = 1,
			   .ignore_files = ignore_file_names };
	const char *got;
	bool content;

	for (size_t i = 0; i < COUNT_OF(rule); i++) {
		rule[i].verdict = verdicts[i];
		rule[i].origin = STR("--x");
		assert_int_equal(rule_parse(str_of(texts[i]), &s.mem, &rule[i],
					    &s.f),
				 ERR_OK);
	}
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		got = marks(&s, &r, rows[i].name, rows[i].directory, &content);
		if (rows[i].want) {
			assert_string_equal(got, rows[i].want);
			assert_int_equal(content, rows[i].content);
		} else {
			assert_non_null(
				strstr(got, "denied: deny write(.stet"));
		}
	}
	/* A verdict of some tools names them. */
	got = marks(&s, &r, "root/partly", false, &content);
	assert_non_null(strstr(
		got,
		"denied: deny write_text_file(partly) (--x), for write_text_file;"));
	assert_non_null(strstr(got, "asks: ask write(partly) (--x), for "));
	assert_true(content);
	/* An ignore file says which line. */
	scratch_put(&s, "root/.stetignore", "# none\nlogs/\n");
	got = marks(&s, &r, "root/logs", true, &content);
	assert_string_equal(got,
			    arena_printf(&s.mem, "ignored: %s:2",
					 scratch_path(&s, "root/.stetignore"))
				    .ptr);
	assert_true(content);
}

static void without_rules_the_table_still_counts(void **state)
{
	auto_scratch s = scratch_make();
	struct access a;
	bool content;

	assert_string_equal(marks(&s, NULL, "root/a.c", false, &content), "");
	assert_true(content);
	(void)marks(&s, NULL, "root/id_rsa", false, &content);
	assert_false(content);
	access_of(&(struct access_want){ NULL, s.ws, STR("/x"), STR("/x"),
					 false,
					 /* own= */ true },
		  &s.mem, &a);
	assert_int_equal(a.count, 1);
	assert_string_equal(a.mark[0].mark, "own");
	assert_false(a.content);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_mark_has_its_reason),
		cmocka_unit_test(without_rules_the_table_still_counts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
