/*
 * test_grant_words.c - the text for what a grant covers, for each reach,
 * client and end (14.1).
 */
#include "../unit.h"

#include "tools/permissions/grant_words.h"

static const struct {
	struct grant g;
	const char *until, *words;
} rows[] = {
	{ { .reach = GRANT_FILE,
	    .client = STR_INIT("codex"),
	    .changes = true,
	    .path = STR_INIT("/srv/shop/.env"),
	    .asked = STR_INIT("/srv/shop/.env") },
	  "",
	  "change .env · codex · until you revoke it" },
	{ { .reach = GRANT_FILE,
	    .client = STR_INIT("codex"),
	    .declared = true,
	    .path = STR_INIT("/srv/shop/src/a.c") },
	  "14:05",
	  "read src/a.c · codex (declared name) · until 14:05" },
	{ { .reach = GRANT_DIRECTORY,
	    .client = STR_INIT("codex"),
	    .changes = true,
	    .path = STR_INIT("/srv/shop/src"),
	    .asked = STR_INIT("/srv/shop/src/a.c") },
	  "",
	  "change every file in src/ · codex · until you revoke it · but no sensitive file" },
	{ { .reach = GRANT_DIRECTORY,
	    .client = STR_INIT("codex"),
	    .changes = true,
	    .path = STR_INIT("/srv/shop"),
	    .asked = STR_INIT("/srv/shop/.env") },
	  "",
	  "change every file in shop/ · codex · until you revoke it · of sensitive files only .env" },
	{ { .reach = GRANT_ALWAYS,
	    .client = STR_INIT("codex"),
	    .changes = true,
	    .tool = STR_INIT("write_text_file"),
	    .asked = STR_INIT("/srv/shop/.git/config") },
	  "",
	  "use write_text_file on every file in shop/ · codex · until you revoke it · of sensitive files only .git/config" },
	{ { .reach = GRANT_SESSION,
	    .tool = STR_INIT("Read"),
	    .session = STR_INIT("s"),
	    .asked = STR_INIT("/srv/shop/a") },
	  "",
	  "use Read on every file in shop/ · an unnamed client · while its session lasts, 24 h at most · but no sensitive file" },
	{ { .reach = GRANT_FILE,
	    .client = STR_INIT("codex"),
	    .changes = true,
	    .path = STR_INIT("/srv/shop/a"),
	    .session = STR_INIT("s") },
	  "14:05",
	  "change a · codex · while its session lasts, until 14:05 at the latest" },
};

static void each_part_is_said(void **state)
{
	static const struct str root = STR_INIT("/srv/shop");
	auto_arena mem = ARENA_INIT;
	struct grant_words w;

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct grant g = rows[i].g;

		g.root = root;
		grant_words(&g, grant_base(root, &root, 1, &mem),
			    str_of(rows[i].until), &mem, &w);
		assert_str(grant_sentence(&w, &mem), rows[i].words);
	}
}

/* With several roots, paths include the name of the root. */
static void paths_begin_where_they_are_clear(void **state)
{
	static const struct str roots[] = { STR_INIT("/srv/shop"),
					    STR_INIT("/srv/blog") };
	static const struct {
		size_t roots;
		const char *root, *path, *files;
	} cases[] = {
		{ 1, "/srv/shop", "/srv/shop/src", "src/" },
		{ 1, "/srv/shop", "/srv/shop", "shop/" },
		{ 2, "/srv/blog", "/srv/blog/src", "blog/src/" },
		{ 2, "/srv/blog", "/srv/blog", "blog/" },
		{ 2, "/var/x", "/var/x/src", "/var/x/src/" },
		{ 0, "/srv/shop", "/srv/shop", "/srv/shop/" },
		{ 1, "/", "/", "/" },
	};
	auto_arena mem = ARENA_INIT;
	struct grant_words w;

	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct grant g = { .reach = GRANT_DIRECTORY,
				   .changes = true,
				   .root = str_of(cases[i].root),
				   .path = str_of(cases[i].path) };

		grant_words(&g, grant_base(g.root, roots, cases[i].roots, &mem),
			    STR(""), &mem, &w);
		assert_str(w.files,
			   arena_printf(&mem, "change every file in %s",
					cases[i].files)
				   .ptr);
	}
}

static void what_covers_a_root_is_one_of_the_widest(void **state)
{
	static const struct {
		enum grant_reach reach;
		const char *path;
		bool widest;
	} cases[] = {
		{ GRANT_FILE, "/srv/shop/a", false },
		{ GRANT_DIRECTORY, "/srv/shop/src", false },
		{ GRANT_DIRECTORY, "/srv/shop", true },
		{ GRANT_SESSION, "", true },
		{ GRANT_ALWAYS, "", true },
	};

	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct grant g = { .reach = cases[i].reach,
				   .root = STR("/srv/shop"),
				   .path = str_of(cases[i].path) };

		assert_int_equal(grant_is_widest(&g), cases[i].widest);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_part_is_said),
		cmocka_unit_test(paths_begin_where_they_are_clear),
		cmocka_unit_test(what_covers_a_root_is_one_of_the_widest),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
