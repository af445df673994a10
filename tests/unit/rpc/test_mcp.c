/*
 * test_mcp.c - messages and their replies, without a transport: both eras,
 * ids, errors, roots. tests/wire has transcripts of the same over stdio.
 */
#include "../memory.h"
#include "../unit.h"

#include "base/clock.h"
#include "rpc/job.h"
#include "rpc/roots.h"

struct fixture {
	struct peer peer; /* first: it is cast */
	struct buf sent;
	struct server server;
	struct memory memory;
	struct link link;
	struct str roots[4];
	size_t roots_count;
	struct arena mem;
};

static void on_send(struct peer *peer, struct str message)
{
	buf_add(&((struct fixture *)peer)->sent, message);
}

static struct fixture *current; /* take_roots() has no context argument */

static void on_roots(struct server *s, const struct str *dirs, size_t n)
{
	current->roots_count = n;
	for (size_t i = 0; i < n && i < COUNT_OF(current->roots); i++)
		current->roots[i] = arena_copy(&current->mem, dirs[i]);
}

static int set_up(void **state)
{
	struct fixture *x = test_calloc(1, sizeof(*x));
	struct memory memory = MEMORY({ "/f", STR_INIT("one\n") });

	x->peer.send = on_send;
	x->memory = memory;
	x->server = (struct server){
		.version = "1",
		.tools = { .max_file = 1 << 20, .max_reply = 1 << 20 },
		.ws = &x->memory.ws,
		.take_roots = on_roots,
	};
	x->link.peer = &x->peer;
	*state = current = x;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *x = *state;

	buf_free(&x->sent);
	link_free(&x->link);
	arena_free(&x->memory.mem);
	arena_free(&x->mem);
	test_free(x);
	return 0;
}

/* Send one message; its reply, "" for none. */
static struct str tell(struct fixture *x, const char *message)
{
	struct job *job = job_new(&x->server);
	struct str reply;

	buf_add(&job->text, str_of(message));
	for (enum job_schedule n = job_read(job, &x->link); n != JOB_DONE;) {
		if (job_run(job, 0) == JOB_RAN)
			break;
		assert_int_equal(job->ran, JOB_MORE);
		n = job_more(job);
	}
	reply = arena_copy(&x->mem, buf_str(&job->reply));
	job_free(job);
	return reply;
}

static struct json ask(struct fixture *x, const char *message)
{
	struct json_limits limits = { 0 };
	struct str reply = tell(x, message);
	struct json_error error;
	struct json v;

	assert_int_equal(json_parse(reply, &limits, &x->mem, &v, &error),
			 ERR_OK);
	return v;
}

static int64_t code_of(struct json reply)
{
	int64_t code = 0;

	(void)!json_int(json_get(json_get(reply, "error"), "code"), &code);
	return code;
}

static void greet(struct fixture *x, const char *version)
{
	(void)tell(
		x,
		arena_printf(
			&x->mem,
			"{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{\"protocolVersion\":\"%s\",\"capabilities\":{\"roots\":{}}}}",
			version)
			.ptr);
}

static const char *const versions[][2] = {
	{ "2024-11-05", "2024-11-05" }, { "2025-03-26", "2025-03-26" },
	{ "2025-06-18", "2025-06-18" }, { "2025-11-25", "2025-11-25" },
	{ "2026-07-28", "2025-11-25" }, { "1999-01-01", "2025-11-25" },
};

/* X02: known versions are echoed, others get the newest of that era. */
static void initialize_settles_on_a_version(void **state)
{
	for (size_t i = 0; i < COUNT_OF(versions); i++) {
		struct fixture *x = *state;
		struct json v = ask(
			x,
			arena_printf(
				&x->mem,
				"{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{\"protocolVersion\":\"%s\"}}",
				versions[i][0])
				.ptr);

		assert_true(json_str_is(json_get(json_get(v, "result"),
						 "protocolVersion"),
					versions[i][1]));
	}
}

static const struct {
	const char *message, *id; /* of the reply; NULL = none */
} ids[] = {
	{ "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"ping\"}", "0" },
	{ "{\"jsonrpc\":\"2.0\",\"id\":-7,\"method\":\"ping\"}", "-7" },
	{ "{\"jsonrpc\":\"2.0\",\"id\":1.50,\"method\":\"ping\"}", "1.50" },
	{ "{\"jsonrpc\":\"2.0\",\"id\":\"\\u0041\",\"method\":\"ping\"}",
	  "\"\\u0041\"" },
	{ "{\"jsonrpc\":\"2.0\",\"id\":123456789012345678901234567890,\"method\":\"ping\"}",
	  "123456789012345678901234567890" },
	{ "{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"ping\"}", NULL },
	{ "{\"jsonrpc\":\"2.0\",\"id\":{},\"method\":\"ping\"}", NULL },
	{ "{\"jsonrpc\":\"1.0\",\"id\":4,\"method\":\"ping\"}", "4" },
	{ "[]", NULL },
	{ "nonsense", NULL },
};

/* X06: a reply repeats the bytes of the id, or has none. */
static void ids_come_back_verbatim(void **state)
{
	for (size_t i = 0; i < COUNT_OF(ids); i++) {
		struct json id = json_get(ask(*state, ids[i].message), "id");

		if (ids[i].id)
			assert_str(json_raw(id), ids[i].id);
		else
			assert_true(json_is(id, JSON_NONE));
	}
}

static const struct {
	const char *message;
	int64_t code;
} failures[] = {
	{ "{", -32700 },
	{ "{\"jsonrpc\":\"2.0\",\"id\":1,\"id\":2,\"method\":\"ping\"}",
	  -32600 },
	{ "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":5}", -32600 },
	{ "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"params\":[]}",
	  -32602 },
	{ "{\"jsonrpc\":\"2.0\",\"id\":1}", -32600 },
	{ "[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}]", -32600 },
	{ "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"no/such\"}", -32601 },
	{ "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{}}",
	  -32602 },
	{ "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"x\"}}",
	  -32602 },
	{ "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\",\"params\":{\"cursor\":\"x\"}}",
	  -32602 },
	{ "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{}}",
	  -32602 },
	{ "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"read_text_file\",\"arguments\":{\"path\":\"/none\"}}}",
	  -32001 },
};

/* X06 W20 R24: each fault has its code. */
static void faults_have_their_codes(void **state)
{
	greet(*state, "2025-11-25");
	for (size_t i = 0; i < COUNT_OF(failures); i++)
		assert_int_equal(code_of(ask(*state, failures[i].message)),
				 failures[i].code);
}

static void before_initialize_only_ping_is_answered(void **state)
{
	assert_int_equal(
		code_of(ask(
			*state,
			"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}")),
		-32600);
	assert_int_equal(
		code_of(ask(
			*state,
			"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"server/discover\"}")),
		-32601);
	assert_str(tell(*state,
			"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}"),
		   "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}");
}

/* X03: notifications and responses get no reply. */
static void notifications_are_not_answered(void **state)
{
	static const char *const notices[] = {
		"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":1}}",
		"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/no_such\"}",
		"{\"jsonrpc\":\"2.0\",\"method\":\"ping\"}",
		"{\"jsonrpc\":\"2.0\",\"id\":77,\"result\":{}}",
		"{\"jsonrpc\":\"2.0\",\"id\":77,\"error\":{\"code\":1,\"message\":\"\"}}",
	};

	for (size_t i = 0; i < COUNT_OF(notices); i++)
		assert_str(tell(*state, notices[i]), "");
}

#define META \
	"\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\",\"io.modelcontextprotocol/clientCapabilities\":{}}"

/* The tools that are listed for any client: not lines, nor filesystem alone. */
static size_t tools_for_all(void)
{
	size_t n = 0;

	for (size_t i = 0; i < all_tools_count; i++) {
		const char *family = all_tools[i]->families[0];

		n += strcmp(family, "filesystem") && strcmp(family, "lines");
	}
	return n;
}

/* X02: the modern era needs no handshake, and marks every result. */
static void modern_requests_stand_alone(void **state)
{
	struct json v = ask(
		*state,
		"{\"jsonrpc\":\"2.0\",\"id\":\"d\",\"method\":\"server/discover\",\"params\":{" META
		"}}");
	struct json result = json_get(v, "result");

	assert_true(json_str_is(json_get(result, "resultType"), "complete"));
	assert_str(json_raw(json_get(result, "supportedVersions")),
		   "[\"2026-07-28\"]");
	assert_true(json_is(json_get(result, "ttlMs"), JSON_NUMBER));
	assert_true(json_str_is(json_get(result, "cacheScope"), "private"));
	v = ask(*state,
		"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\",\"params\":{" META
		"}}");
	assert_int_equal(json_count(json_get(json_get(v, "result"), "tools")),
			 tools_for_all());
	assert_int_equal(
		code_of(ask(
			*state,
			"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"params\":{" META
			"}}")),
		-32601);
}

/* A06: to a modern client a tool's failure is a result. */
static void modern_failures_are_results(void **state)
{
	struct json result = json_get(
		ask(*state,
		    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"read_text_file\",\"arguments\":{\"path\":\"/none\"}," META
		    "}}"),
		"result");
	struct json error =
		json_get(json_get(result, "structuredContent"), "error");
	int64_t code;

	assert_true(json_is(json_get(result, "isError"), JSON_TRUE));
	assert_true(json_int(json_get(error, "code"), &code));
	assert_int_equal(code, -32001);
	assert_true(json_str_is(json_get(error, "message"),
				"File not found: /none"));
}

static void a_batch_is_for_the_one_version_that_has_it(void **state)
{
	static const char batch[] =
		"[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"},"
		"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/x\"},"
		"{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/call\",\"params\":{\"name\":\"read_text_file\",\"arguments\":{\"path\":\"/none\"}}}]";
	struct json v;

	greet(*state, "2025-03-26");
	v = ask(*state, batch);
	assert_true(json_is(v, JSON_ARRAY));
	assert_int_equal(json_count(v), 2);
	assert_str(tell(*state, "[{\"jsonrpc\":\"2.0\",\"method\":\"x\"}]"),
		   "");
	greet(*state, "2025-06-18");
	assert_int_equal(code_of(ask(*state, batch)), -32600);
}

/* The client's roots are asked for once it is ready, and taken. */
static void roots_are_asked_for_and_taken(void **state)
{
	struct fixture *x = *state;

	greet(x, "2025-06-18");
	(void)tell(
		x,
		"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}");
	assert_str(
		buf_str(&x->sent),
		"{\"jsonrpc\":\"2.0\",\"id\":\"stet-roots-1\",\"method\":\"roots/list\"}");
	assert_int_equal(x->link.roots, ROOTS_ASKED);
	(void)tell(
		x,
		"{\"jsonrpc\":\"2.0\",\"id\":\"stet-roots-9\",\"result\":{\"roots\":[]}}");
	assert_int_equal(x->link.roots, ROOTS_ASKED);
	(void)tell(
		x,
		"{\"jsonrpc\":\"2.0\",\"id\":\"stet-roots-1\",\"result\":{\"roots\":[{\"uri\":\"file:///a%20b\"},{\"uri\":\"http://x/\"},{\"uri\":\"file://localhost/c\"}]}}");
	assert_int_equal(x->link.roots, ROOTS_SETTLED);
	assert_int_equal(x->roots_count, 3);
	assert_str(x->roots[0], "/a b");
	assert_str(x->roots[1],
		   "\"http://x/\""); /* not a path: for the error */
	assert_str(x->roots[2], "/c");
}

static const struct {
	const char *uri, *path; /* NULL = refused */
} uris[] = {
	{ "file:///", "/" },
	{ "file:///a/b", "/a/b" },
	{ "file:///%C3%A9", "/\xc3\xa9" },
	{ "file:///a%00b", NULL },
	{ "file:///a%2", NULL },
	{ "file:///a%zz", NULL },
	{ "file://host/a", NULL },
	{ "/a", NULL },
};

static void uris_become_paths(void **state)
{
	struct fixture *x = *state;

	for (size_t i = 0; i < COUNT_OF(uris); i++) {
		struct str path;
		bool fine = roots_path(str_of(uris[i].uri), &x->mem, &path);

		assert_int_equal(fine, uris[i].path != NULL);
		if (fine)
			assert_str(path, uris[i].path);
	}
}

/* A reply that is too long for clients is replaced by an error. */
static void a_reply_that_is_too_long_becomes_an_error(void **state)
{
	struct fixture *x = *state;

	x->server.tools.max_reply = 200;
	greet(x, "2025-11-25");
	assert_int_equal(
		code_of(ask(
			x,
			arena_printf(
				&x->mem,
				"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"hello\",\"arguments\":{\"name\":\"%0200d\"}}}",
				0)
				.ptr)),
		-32603);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(initialize_settles_on_a_version),
		TEST(ids_come_back_verbatim),
		TEST(faults_have_their_codes),
		TEST(before_initialize_only_ping_is_answered),
		TEST(notifications_are_not_answered),
		TEST(modern_requests_stand_alone),
		TEST(modern_failures_are_results),
		TEST(a_batch_is_for_the_one_version_that_has_it),
		TEST(roots_are_asked_for_and_taken),
		TEST(uris_become_paths),
		TEST(a_reply_that_is_too_long_becomes_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
