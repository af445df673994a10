/*
 * test_browse.c - the view of files over a real port: directories, text, what
 * is not shown, and the page for addresses that do not exist.
 */
#include "desk.h"

static const char *files(struct desk *d, const char *name, const char *more)
{
	return arena_printf(&d->mem, "/api/files?path=%s%s",
			    scratch_path(&d->scratch, name), more)
		.ptr;
}

static void a_directory_and_a_file_are_shown(void **state)
{
	struct json got;
	auto_desk d;

	desk_begin(&d);
	scratch_put(&d.scratch, "root/a.txt", "one\r\ntwo\r\n");
	scratch_put(&d.scratch, "root/ask.c", "1\n");
	got = desk_get(&d, "/api/files");
	assert_str(desk_text(&d, got, "kind"), "roots");
	assert_int_equal(json_count(desk_at(got, "entries")), 1);
	got = desk_get(&d, files(&d, "root", ""));
	assert_str(desk_text(&d, got, "kind"), "directory");
	assert_int_equal(desk_int(got, "total"), 2);
	assert_str(desk_text(&d, got, "entries.0.name"), "a.txt");
	assert_int_equal(desk_int(got, "entries.0.size"), 10);
	assert_str(desk_text(&d, got, "entries.1.marks.0.mark"), "asks");
	assert_str(desk_text(&d, got, "entries.1.marks.0.why"),
		   "ask write(ask*) (--ask)");
	got = desk_get(&d, files(&d, "root", "&skip=1"));
	assert_str(desk_text(&d, got, "entries.0.name"), "ask.c");
	got = desk_get(&d, files(&d, "root/a.txt", ""));
	assert_str(desk_text(&d, got, "kind"), "file");
	assert_str(desk_text(&d, got, "text"), "one\r\ntwo\r\n");
	assert_str(desk_text(&d, got, "eol"), "crlf");
	assert_str(desk_text(&d, got, "encoding"), "utf-8");
	got = desk_get(&d, files(&d, "root/a.txt", "&line=2"));
	assert_str(desk_text(&d, got, "text"), "two\r\n");
}

static void what_is_long_has_a_next_line(void **state)
{
	auto_buf text = BUF_INIT;
	struct json got;
	auto_desk d;

	desk_begin(&d);
	for (int i = 0; i < 2001; i++)
		buf_lit(&text, "x\n");
	buf_addc(&text, '\0');
	scratch_put(&d.scratch, "root/long", text.ptr);
	got = desk_get(&d, files(&d, "root/long", ""));
	assert_int_equal(desk_int(got, "lines"), 2000);
	assert_int_equal(desk_int(got, "next_line"), 2001);
	got = desk_get(&d, files(&d, "root/long", "&line=2001"));
	assert_int_equal(desk_int(got, "lines"), 1);
	assert_true(json_is(desk_at(got, "next_line"), JSON_NONE));
}

/* Each answer's status, and whether a secret is in it: never. */
static void what_is_not_for_the_page_is_not_shown(void **state)
{
	static const struct {
		const char *name, *more, *who;
		unsigned status;
	} rows[] = {
		{ "root/.env", "", "", 200 },
		{ "root/link", "", "", 200 },
		{ "root/out", "", "", 403 },
		{ "outside/secret", "", "", 403 },
		{ "root/../outside/secret", "", "", 403 },
		{ "root/none", "", "", 404 },
		{ "root/%00", "", "", 400 },
		{ "root/%ff", "", "", 400 },
		{ "root", "&skip=x", "", 400 },
		{ "root/a", "&line=0", "", 400 },
		{ "root/a", "", "X-Who: alice\r\n", 403 },
		{ "root/a", "", "X-Who: nobody\r\n", 401 },
		{ "root/a", "", "", 200 },
	};
	auto_desk d;

	desk_begin(&d);
	scratch_put(&d.scratch, "root/a", "text\n");
	scratch_put(&d.scratch, "root/.env", "nobody-sees-this");
	scratch_put(&d.scratch, "outside/secret", "nobody-sees-this");
	scratch_link(&d.scratch, ".env", "root/link");
	scratch_link(&d.scratch, "../outside/secret", "root/out");
	d.rules.base = &d.scratch.root;
	d.rules.base_count = 1;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		assert_int_equal(desk_ask(&d, "GET",
					  files(&d, rows[i].name, rows[i].more),
					  rows[i].who, ""),
				 rows[i].status);
		assert_false(desk_has(&d, "nobody-sees-this"));
	}
	assert_true(desk_has(&d, "text\\n"));
}

static void a_lost_browser_gets_a_page(void **state)
{
	static const struct {
		const char *path, *accept, *has;
	} rows[] = {
		{ "/x", "text/html", "nothing at this address" },
		{ "/x/y", "text/html;q=0.9", "Content-Security-Policy:" },
		{ "/404.html", "*/*", "nothing at this address" },
		{ "/x", "application/json", "none\n" },
		{ "/api/x", "text/html", "none\n" },
	};
	auto_desk d;

	desk_begin(&d);
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		assert_int_equal(desk_ask(&d, "GET", rows[i].path,
					  arena_printf(&d.mem, "Accept: %s\r\n",
						       rows[i].accept)
						  .ptr,
					  ""),
				 404);
		assert_true(desk_has(&d, rows[i].has));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_directory_and_a_file_are_shown),
		cmocka_unit_test(what_is_long_has_a_next_line),
		cmocka_unit_test(what_is_not_for_the_page_is_not_shown),
		cmocka_unit_test(a_lost_browser_gets_a_page),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
