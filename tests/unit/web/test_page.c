/*
 * test_page.c - requests to the page's API over a real port: replies, changes,
 * headers.
 */
#include "desk.h"

static void the_files_have_their_headers(void **state)
{
	static const struct {
		const char *method, *path;
		unsigned status;
		const char *has;
	} rows[] = {
		{ "GET", "/", 200,
		  "Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'none'; frame-ancestors 'none'; base-uri 'none'\r\n" },
		{ "GET", "/", 200, "Content-Type: text/html; charset=utf-8" },
		{ "GET", "/", 200, "Cache-Control: no-store\r\n" },
		{ "GET", "/", 200, "Referrer-Policy: no-referrer\r\n" },
		{ "GET", "/", 200,
		  "Cross-Origin-Opener-Policy: same-origin\r\n" },
		{ "GET", "/page.css", 200,
		  "Cross-Origin-Resource-Policy: same-origin\r\n" },
		{ "GET", "/page.css", 200, "Content-Type: text/css" },
		{ "HEAD", "/page.js", 200, "Content-Type: text/javascript" },
		{ "GET", "/page.js", 200, "ETag: \"" },
		{ "POST", "/page.js", 405, "Allow: GET" },
		{ "GET", "/signin.html", 404, "" },
		{ "GET", "/../etc/passwd", 404, "" },
		{ "GET", "/api/nothing", 404, "" },
		{ "PUT", "/api/status", 405, "Allow: GET" },
		{ "GET", "/api/restore", 405, "Allow: POST" },
		{ "HEAD", "/api/live", 405, "Allow: GET" },
		{ "GET", "/api/status", 200, "Cache-Control: no-store\r\n" },
	};
	auto_desk d;

	desk_begin(&d);
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		assert_int_equal(desk_ask(&d, rows[i].method, rows[i].path, "",
					  ""),
				 rows[i].status);
		assert_true(desk_has(&d, rows[i].has));
	}
}

static void what_is_known_is_not_sent_again(void **state)
{
	struct str etag;
	const char *at;
	auto_desk d;

	desk_begin(&d);
	assert_int_equal(desk_ask(&d, "GET", "/page.css", "", ""), 200);
	at = memmem(d.got.ptr, d.got.len, "ETag: ", 6);
	etag = arena_copy(&d.mem, str_make(at + 6, 34));
	assert_int_equal(desk_ask(&d, "GET", "/page.css",
				  arena_printf(&d.mem, "If-None-Match: %s\r\n",
					       etag.ptr)
					  .ptr,
				  ""),
			 304);
	assert_true(str_ends(buf_str(&d.got), STR("\r\n\r\n")));
}

/* The page's files are public; the data is the owner's. */
static void who_is_not_signed_in_is_told_how(void **state)
{
	static const struct {
		const char *path, *who;
		unsigned status;
		const char *has;
	} rows[] = {
		{ "/api/status", "nobody", 401,
		  "{\"error\":{\"message\":\"Sign in: run 'stet open'\"}}" },
		{ "/api/status", "nobody", 401, "WWW-Authenticate: Bearer" },
		{ "/api/status", "alice", 403, "owner" },
		{ "/", "alice", 200, "stet open" },
		{ "/page.js", "alice", 200, "import" },
	};
	auto_desk d;

	desk_begin(&d);
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		assert_int_equal(desk_ask(&d, "GET", rows[i].path,
					  arena_printf(&d.mem, "X-Who: %s\r\n",
						       rows[i].who)
						  .ptr,
					  ""),
				 rows[i].status);
		assert_true(desk_has(&d, rows[i].has));
	}
}

static void each_has_its_door(void **state)
{
	static const struct {
		const char *method, *path;
		enum auth auth;
	} rows[] = {
		{ "GET", "/", AUTH_NONE },
		{ "GET", "/page.js", AUTH_NONE },
		{ "POST", "/page.js", AUTH_NONE },
		{ "GET", "/page.js/x", AUTH_OWNER },
		{ "GET", "/api/history/1/undo", AUTH_OWNER },
		{ "POST", "/api/history/1/undo", AUTH_OWNER },
		{ "POST", "/api/restore", AUTH_OWNER },
		{ "POST", "/api/approvals/1", AUTH_OWNER },
		{ "POST", "/api/status", AUTH_OWNER },
		{ "GET", "/anything", AUTH_OWNER },
		{ "DELETE", "/anything", AUTH_OWNER },
		{ "GET", "/metrics", AUTH_OWNER },
		{ "GET", "/api/live", AUTH_OWNER },
	};

	for (size_t i = 0; i < COUNT_OF(rows); i++)
		assert_int_equal(page_auth(str_of(rows[i].method),
					   str_of(rows[i].path)),
				 rows[i].auth);
}

static void the_status_tells_what_there_is(void **state)
{
	auto_desk d;
	struct json s;

	desk_begin(&d);
	atomic_store(&desk_clients, 1);
	assert_int_equal(desk_write(&d, "root/a", "one\n"), ERR_OK);
	assert_int_equal(desk_write(&d, "root/a", "one\ntwo\n"), ERR_OK);
	assert_int_equal(desk_call(&d, "read_text_file",
				   "{\"path\":\"/nowhere\"}"),
			 ERR_DENIED);
	s = desk_get(&d, "/api/status");
	assert_str(desk_text(&d, s, "version"), "9.9");
	assert_str(desk_text(&d, s, "url"), "http://127.0.0.1:1/");
	assert_str(desk_text(&d, s, "mode"), "default");
	assert_str(desk_text(&d, s, "rules.0.rule"), "write(ask*)");
	assert_str(desk_text(&d, s, "rules.0.verdict"), "ask");
	assert_true(str_ends(desk_text(&d, s, "roots.0"), STR("/root")));
	assert_str(desk_text(&d, s, "clients.0.client"), "codex 1.0");
	assert_int_equal(desk_int(s, "clients.0.calls"), 3);
	assert_int_equal(desk_int(s, "counters.calls"), 3);
	assert_int_equal(desk_int(s, "counters.failed"), 0);
	assert_int_equal(desk_int(s, "counters.denied"), 1);
	assert_int_equal(desk_int(s, "counters.created"), 1);
	assert_int_equal(desk_int(s, "counters.updated"), 1);
	assert_int_equal(desk_int(s, "counters.lines_added"), 2);
	assert_int_equal(desk_int(s, "counters.requests"), 1);
	assert_true(desk_bool(s, "history.on"));
	assert_str(desk_text(&d, s, "history.problem"), "");
	assert_int_equal(desk_ask(&d, "GET", "/metrics", "", ""), 200);
	assert_true(desk_has(&d, "text/plain; version=0.0.4"));
	assert_true(desk_has(&d, "# TYPE stet_calls_total counter\n"
				 "stet_calls_total 3\n"));
	assert_true(desk_has(&d, "\nstet_files_created_total 1\n"));
	assert_true(desk_has(&d, "\nstet_http_connections 1\n"));
	assert_true(desk_has(&d, "\nstet_clients 1\n"));
	atomic_store(&desk_clients, 0);
}

static void activity_has_each_call(void **state)
{
	auto_desk d;
	struct json a;

	desk_begin(&d);
	assert_int_equal(desk_write(&d, "root/a", "x"), ERR_OK);
	assert_int_equal(desk_write(&d, "root/ask", "x"), ERR_APPROVAL);
	a = desk_get(&d, "/api/activity");
	assert_int_equal(json_count(desk_at(a, "calls")), 2);
	assert_str(desk_text(&d, a, "calls.0.tool"), "write_text_file");
	assert_str(desk_text(&d, a, "calls.0.state"), "ok");
	assert_str(desk_text(&d, a, "calls.0.client"), "codex 1.0");
	assert_str(desk_text(&d, a, "calls.1.state"), "asked");
	assert_int_equal(desk_int(a, "calls.1.error.code"), -32007);
}

static void a_question_is_shown_and_answered(void **state)
{
	const char *path;
	auto_desk d;
	struct json a;

	desk_begin(&d);
	scratch_put(&d.scratch, "root/ask",
		    "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n");
	(void)desk_pending(&d, 0, &path);
	assert_int_equal(
		desk_write(&d, "root/ask",
			   "one\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\ntwelve\n"),
		ERR_APPROVAL);
	a = desk_pending(&d, 1, &path);
	assert_str(desk_text(&d, a, "approvals.0.tool"), "write_text_file");
	assert_str(desk_text(&d, a, "approvals.0.client"), "codex 1.0");
	assert_true(str_ends(desk_text(&d, a, "approvals.0.path"),
			     STR("/root/ask")));
	assert_int_equal(desk_int(a, "approvals.0.lines_added"), 2);
	assert_int_equal(desk_int(a, "approvals.0.lines_removed"), 2);
	assert_int_equal(json_count(desk_at(a, "approvals.0.hunks")), 2);
	assert_str(desk_text(&d, a, "approvals.0.hunks.1.header"),
		   "@@ -9,4 +9,4 @@");
	assert_str(desk_text(&d, a, "approvals.0.hunks.0.lines.1.text"), "one");
	assert_true(desk_bool(a, "approvals.0.partial"));
	assert_false(desk_bool(a, "approvals.0.cut"));

	assert_int_equal(desk_post(&d, path, "{\"answer\":\"once\"}"), 200);
	assert_str(desk_text(&d, desk_json(&d), "approval.state"), "allowed");
	(void)desk_pending(&d, 0, &path);
	/* decided before */
	assert_int_equal(desk_post(&d, path, "{\"answer\":\"deny\"}"), 409);
	assert_int_equal(
		desk_write(&d, "root/ask",
			   "one\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\ntwelve\n"),
		ERR_OK);
}

static void some_hunks_may_be_taken(void **state)
{
	const char *path;
	auto_desk d;

	desk_begin(&d);
	scratch_put(&d.scratch, "root/ask",
		    "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n");
	assert_int_equal(
		desk_write(&d, "root/ask",
			   "one\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\ntwelve\n"),
		ERR_APPROVAL);
	(void)desk_pending(&d, 1, &path);
	assert_int_equal(desk_post(&d, path,
				   "{\"answer\":\"once\",\"hunks\":[2]}"),
			 200);
	assert_int_equal(
		desk_write(&d, "root/ask",
			   "one\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\ntwelve\n"),
		ERR_OK);
	assert_file(&d, "root/ask",
		    "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\ntwelve\n");
}

static void what_is_no_answer_is_refused(void **state)
{
	static const struct {
		const char *body;
		unsigned status;
	} rows[] = {
		{ "", 400 },
		{ "no", 400 },
		{ "[]", 400 },
		{ "{}", 400 },
		{ "{\"answer\":\"maybe\"}", 400 },
		{ "{\"answer\":1}", 400 },
		{ "{\"answer\":\"deny\",\"note\":1}", 400 },
		{ "{\"answer\":\"once\",\"hunks\":[]}", 400 },
		{ "{\"answer\":\"once\",\"hunks\":\"1\"}", 400 },
		{ "{\"answer\":\"once\",\"hunks\":[0]}", 400 },
		{ "{\"answer\":\"once\",\"hunks\":[1.5]}", 400 },
		{ "{\"answer\":\"once\",\"hunks\":[2]}", 400 }, /* there is 1 */
		{ "{\"answer\":\"always\",\"hunks\":[1]}", 400 },
	};
	const char *path;
	auto_desk d;

	desk_begin(&d);
	scratch_put(&d.scratch, "root/ask", "1\n");
	assert_int_equal(desk_write(&d, "root/ask", "2\n"), ERR_APPROVAL);
	(void)desk_pending(&d, 1, &path);
	for (size_t i = 0; i < COUNT_OF(rows); i++)
		if (desk_post(&d, path, rows[i].body) != rows[i].status)
			assert_string_equal(rows[i].body, "");
	(void)desk_pending(&d, 1, &path);
	assert_int_equal(
		desk_post(&d,
			  "/api/approvals/0199f0c2-7b1a-7c3d-9e4f-5a6b7c8d9e0f",
			  "{\"answer\":\"once\"}"),
		404);
	assert_int_equal(desk_post(&d, "/api/approvals/0199",
				   "{\"answer\":\"once\"}"),
			 404);
}

static void a_wide_answer_is_kept_and_a_no_is_told(void **state)
{
	const char *path;
	auto_desk d;

	desk_begin(&d);
	assert_int_equal(desk_write(&d, "root/ask1", "1"), ERR_APPROVAL);
	(void)desk_pending(&d, 1, &path);
	assert_int_equal(
		desk_post(&d, path,
			  "{\"answer\":\"deny\",\"note\":\"not in this one\"}"),
		200);
	assert_str(desk_text(&d, desk_json(&d), "approval.note"),
		   "not in this one");
	assert_int_equal(desk_write(&d, "root/ask1", "1"), ERR_REFUSED);
	assert_int_equal(desk_write(&d, "root/ask2", "2"), ERR_APPROVAL);
	(void)desk_pending(&d, 1, &path);
	assert_int_equal(desk_post(&d, path, "{\"answer\":\"file\"}"), 200);
	assert_int_equal(desk_write(&d, "root/ask2", "2"), ERR_OK);
	assert_int_equal(desk_write(&d, "root/ask2", "3"), ERR_OK);
	assert_int_equal(desk_write(&d, "root/ask1", "3"), ERR_APPROVAL);
}

static void history_is_listed_and_searched(void **state)
{
	auto_desk d;
	struct json h;

	desk_begin(&d);
	for (int i = 0; i < 5; i++)
		assert_int_equal(
			desk_write(&d,
				   arena_printf(&d.mem, "root/f%d", i % 2).ptr,
				   arena_printf(&d.mem, "%d\n", i).ptr),
			ERR_OK);
	h = desk_get(&d, "/api/history");
	assert_int_equal(json_count(desk_at(h, "operations")), 5);
	assert_false(desk_bool(h, "more"));
	assert_str(desk_text(&d, h, "operations.0.kind"), "update");
	assert_str(desk_text(&d, h, "operations.0.shown"), "f0");
	assert_str(desk_text(&d, h, "operations.4.kind"), "create");
	assert_true(desk_bool(h, "operations.0.active"));
	assert_true(desk_int(h, "operations.0.time") > 1700000000000);
	h = desk_get(&d, "/api/history?limit=2&skip=2");
	assert_int_equal(json_count(desk_at(h, "operations")), 2);
	assert_true(desk_bool(h, "more"));
	h = desk_get(&d, "/api/history?q=F1");
	assert_int_equal(json_count(desk_at(h, "operations")), 2);
	h = desk_get(&d, "/api/history?client=codex+1.0&session=s1");
	assert_int_equal(json_count(desk_at(h, "operations")), 5);
	h = desk_get(&d, "/api/history?client=codex");
	assert_int_equal(json_count(desk_at(h, "operations")), 0);
	h = desk_get(&d, arena_printf(&d.mem, "/api/history?path=%s",
				      scratch_path(&d.scratch, "root/f0"))
				 .ptr);
	assert_int_equal(json_count(desk_at(h, "operations")), 3);
	assert_int_equal(desk_ask(&d, "GET", "/api/history?limit=x", "", ""),
			 400);
	h = desk_get(&d, "/api/chart?buckets=10");
	assert_int_equal(json_count(desk_at(h, "buckets")), 10);
	assert_int_equal(desk_int(h, "buckets.9.created"), 2);
	assert_int_equal(desk_int(h, "buckets.9.updated"), 3);
	assert_int_equal(desk_ask(&d, "GET", "/api/chart?buckets=0", "", ""),
			 400);
	assert_int_equal(desk_ask(&d, "GET", "/api/chart?since=9&until=9", "",
				  ""),
			 400);
}

static void an_operation_is_shown_undone_and_redone(void **state)
{
	const char *op, *undo;
	auto_desk d;
	struct json o;

	desk_begin(&d);
	scratch_put(&d.scratch, "root/f", "a\nb\n");
	assert_int_equal(desk_write(&d, "root/f", "a\nB\n"), ERR_OK);
	op = desk_newest_op(&d);
	o = desk_get(&d, desk_op_path(&d, op, ""));
	assert_str(desk_text(&d, o, "diff"),
		   "--- f\n+++ f\n@@ -1,2 +1,2 @@\n a\n-b\n+B\n");
	assert_int_equal(json_count(desk_at(o, "hunks")), 1);
	assert_int_equal(desk_int(o, "lines_added"), 1);
	assert_str(desk_text(&d, o, "operation.id"), op);

	assert_int_equal(desk_post(&d, desk_op_path(&d, op, "/redo"), ""), 409);
	assert_int_equal(desk_post(&d, desk_op_path(&d, op, "/undo"), ""), 200);
	o = desk_json(&d);
	assert_str(desk_text(&d, o, "operation.undoes"), op);
	assert_str(desk_text(&d, o, "operation.tool"), "stet undo");
	undo = arena_cstr(&d.mem, desk_text(&d, o, "operation.id"));
	assert_file(&d, "root/f", "a\nb\n");
	o = desk_get(&d, desk_op_path(&d, op, ""));
	assert_false(desk_bool(o, "operation.active"));
	assert_str(desk_text(&d, o, "operation.undone"), undo);
	assert_int_equal(desk_post(&d, desk_op_path(&d, op, "/undo"), "{}"),
			 409);
	assert_int_equal(desk_post(&d, desk_op_path(&d, op, "/redo"), "{}"),
			 200);
	assert_file(&d, "root/f", "a\nB\n");
	assert_true(desk_bool(desk_get(&d, desk_op_path(&d, op, "")),
			      "operation.active"));
	assert_int_equal(desk_post(&d, "/api/history/00000000/undo", "{}"),
			 404);
	assert_int_equal(desk_ask(&d, "GET", "/api/history/zz", "", ""), 404);
}

static void a_conflict_is_shown_and_settled(void **state)
{
	const char *op;
	auto_desk d;
	struct json o;

	desk_begin(&d);
	scratch_put(&d.scratch, "root/f", "a\nb\n");
	assert_int_equal(desk_write(&d, "root/f", "a\nB\n"), ERR_OK);
	op = desk_newest_op(&d);
	scratch_put(&d.scratch, "root/f", "a\nmine\n");
	assert_int_equal(desk_post(&d, desk_op_path(&d, op, "/undo"),
				   "{\"conflicts\":\"abort\"}"),
			 409);
	o = desk_json(&d);
	assert_int_equal(desk_int(o, "error.code"), -32013);
	assert_int_equal(desk_int(o, "error.data.conflicts.0.line"), 2);
	assert_str(desk_text(&d, o, "error.data.conflicts.0.ours"), "mine\n");
	assert_str(desk_text(&d, o, "error.data.conflicts.0.theirs"), "b\n");
	assert_str(desk_text(&d, o, "error.data.conflicts.0.base"), "B\n");
	assert_file(&d, "root/f", "a\nmine\n");
	assert_int_equal(desk_post(&d, desk_op_path(&d, op, "/undo"),
				   "{\"conflicts\":\"yes\"}"),
			 400);
	assert_int_equal(desk_post(&d, desk_op_path(&d, op, "/undo"),
				   "{\"conflicts\":\"theirs\"}"),
			 200);
	assert_file(&d, "root/f", "a\nb\n");
}

static void a_file_is_made_what_it_was(void **state)
{
	const char *first, *name;
	auto_desk d;

	desk_begin(&d);
	name = scratch_path(&d.scratch, "root/f");
	assert_int_equal(desk_write(&d, "root/f", "1\n"), ERR_OK);
	first = desk_newest_op(&d);
	assert_int_equal(desk_write(&d, "root/f", "2\n"), ERR_OK);
	assert_int_equal(
		desk_post(&d, "/api/restore",
			  arena_printf(&d.mem,
				       "{\"path\":\"%s\",\"at\":\"%s\"}", name,
				       first)
				  .ptr),
		200);
	assert_str(desk_text(&d, desk_json(&d), "operation.tool"),
		   "stet restore");
	assert_file(&d, "root/f", "1\n");
	/* so it is already: nothing is done */
	assert_int_equal(
		desk_post(&d, "/api/restore",
			  arena_printf(&d.mem,
				       "{\"path\":\"%s\",\"at\":\"%s\"}", name,
				       first)
				  .ptr),
		200);
	assert_str(desk_text(&d, desk_json(&d), "result"), "already");
	/* before all of it there was none */
	assert_int_equal(desk_post(&d, "/api/restore",
				   arena_printf(&d.mem,
						"{\"path\":\"%s\",\"at\":1000}",
						name)
					   .ptr),
			 200);
	assert_null(scratch_get(&d.scratch, "root/f"));
	assert_int_equal(desk_post(&d, "/api/restore",
				   "{\"path\":\"/nobody/knows\",\"at\":1}"),
			 404);
	assert_int_equal(desk_post(&d, "/api/restore", "{\"path\":\"f\"}"),
			 400);
	assert_int_equal(desk_post(&d, "/api/restore",
				   "{\"path\":\"/f\",\"at\":\"then\"}"),
			 400);
}

static void without_a_history_there_is_still_a_page(void **state)
{
	struct store *store;
	auto_desk d;
	struct json s;

	desk_begin(&d);
	store = d.server.tools.store;
	d.server.tools.store = NULL;
	s = desk_get(&d, "/api/status");
	assert_false(desk_bool(s, "history.on"));
	assert_int_equal(json_count(desk_at(desk_get(&d, "/api/history"),
					    "operations")),
			 0);
	assert_int_equal(json_count(desk_at(desk_get(&d, "/api/approvals"),
					    "approvals")),
			 0);
	(void)desk_get(&d, "/api/chart");
	assert_int_equal(desk_post(&d, "/api/restore", "{}"), 503);
	d.server.tools.store = store;
}

/* The peer hangs up while its answer is being made: nothing comes of it. */
static void who_leaves_early_is_forgotten(void **state)
{
	auto_desk d;

	desk_begin(&d);
	assert_int_equal(desk_write(&d, "root/f", "1\n"), ERR_OK);
	for (int i = 0; i < 50; i++) {
		int fd = desk_dial(&d);

		desk_say(fd,
			 STR("GET /api/history HTTP/1.1\r\nHost: x\r\n\r\n"
			     "GET /api/status HTTP/1.1\r\nHost: x\r\n\r\n"));
		if (i % 2)
			(void)poll(NULL, 0, 1);
		(void)close(fd);
	}
	(void)desk_get(&d, "/api/history");
}

static void a_body_that_is_too_long_is_refused(void **state)
{
	auto_buf body = BUF_INIT;
	auto_desk d;

	desk_begin(&d);
	for (int i = 0; i < 300 * 1024; i++)
		buf_addc(&body, ' ');
	buf_addc(&body, '\0');
	assert_int_equal(desk_post(&d, "/api/restore", body.ptr), 413);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_files_have_their_headers),
		cmocka_unit_test(what_is_known_is_not_sent_again),
		cmocka_unit_test(who_is_not_signed_in_is_told_how),
		cmocka_unit_test(each_has_its_door),
		cmocka_unit_test(the_status_tells_what_there_is),
		cmocka_unit_test(activity_has_each_call),
		cmocka_unit_test(a_question_is_shown_and_answered),
		cmocka_unit_test(some_hunks_may_be_taken),
		cmocka_unit_test(what_is_no_answer_is_refused),
		cmocka_unit_test(a_wide_answer_is_kept_and_a_no_is_told),
		cmocka_unit_test(history_is_listed_and_searched),
		cmocka_unit_test(an_operation_is_shown_undone_and_redone),
		cmocka_unit_test(a_conflict_is_shown_and_settled),
		cmocka_unit_test(a_file_is_made_what_it_was),
		cmocka_unit_test(without_a_history_there_is_still_a_page),
		cmocka_unit_test(who_leaves_early_is_forgotten),
		cmocka_unit_test(a_body_that_is_too_long_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
