/*
 * test_catalog.c - lists, reads, completions and subscriptions of a catalog;
 * and that a server without a catalog has none of these methods.
 */
#include "talk.h"

static enum err say(struct round *r, struct str text)
{
	json_key(r->out, "content");
	json_open(r->out, '[');
	json_open(r->out, '{');
	json_key(r->out, "type");
	json_put_str(r->out, STR("text"));
	json_key(r->out, "text");
	json_put_str(r->out, text);
	json_close(r->out, '}');
	json_close(r->out, ']');
	return ERR_OK;
}

static enum err echo(struct round *r)
{
	return say(r, arena_printf(r->mem, STR_FMT "|" STR_FMT,
				   STR_ARG(r->name), STR_ARG(r->part)));
}

static enum err change(struct round *r)
{
	round_changed(r, CHANGED_TOOLS, STR(""));
	round_changed(r, CHANGED_PROMPTS, STR(""));
	round_changed(r, CHANGED_RESOURCES, STR(""));
	round_changed(r, CHANGED_RESOURCE, STR("x://one"));
	return say(r, STR("done"));
}

static const char *many[151];
static const char *const few[] = { "paris", "park", "rome", NULL };
static const struct catalog_argument city[] = { { "city", "", true },
						{ "mood", "", false },
						{ 0 } };

static const struct catalog_tool tools[] = {
	{ "echo", "", "{\"type\":\"object\"}", echo },
	{ "change", "", "{\"type\":\"object\"}", change },
	{ "marked", "",
	  "{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"string\",\"x-mcp-header\":\"A\"},"
	  "\"n\":{\"type\":\"integer\",\"x-mcp-header\":\"N\"},\"free\":{\"type\":\"string\"}}}",
	  echo },
	{ 0 },
};
static const struct catalog_resource resources[] = {
	{ "x://one", "one", "the first", "text/plain", echo },
	{ "x://all/{id}/it", "all", NULL, NULL, echo },
	{ 0 },
};
static const struct catalog_prompt prompts[] = {
	{ "trip", "a trip", city, echo },
	{ "plain", "no arguments", NULL, echo },
	{ 0 },
};
static const struct catalog_completion completions[] = {
	{ "trip", "city", few },
	{ "x://all/{id}/it", "id", many },
	{ 0 },
};
static const struct catalog catalog = { tools, resources, prompts,
					completions };

static int set_up(void **state)
{
	struct talk *t = talk_new(&catalog);

	for (size_t i = 0; i + 1 < COUNT_OF(many); i++)
		many[i] = "v";
	*state = t;
	talk_greet(t, "{}");
	return 0;
}

static int tear_down(void **state)
{
	talk_free(*state);
	return 0;
}

static const char *const methods[] = {
	"completion/complete",  "logging/setLevel",
	"prompts/get",          "prompts/list",
	"resources/list",       "resources/read",
	"resources/subscribe",  "resources/templates/list",
	"resources/unsubscribe"
};

/* The product has no extension. */
static void without_a_catalog_there_is_none_of_it(void **state)
{
	struct talk *t = *state;
	struct json v;

	t->server.extension = NULL;
	for (size_t i = 0; i < COUNT_OF(methods); i++) {
		assert_int_equal(talk_code(t, methods[i], ""), -32601);
		assert_int_equal(talk_code(t, methods[i], MODERN_META("{}")),
				 -32601);
		assert_int_equal(t->status, 404);
	}
	assert_int_equal(talk_code(t, "subscriptions/listen",
				   MODERN_META("{}")),
			 -32601);
	v = talk_result(t, "server/discover", MODERN_META("{}"));
	assert_str(json_raw(json_get(v, "capabilities")), "{\"tools\":{}}");
}

/* Methods that 2026-07-28 removed are unknown to its messages. */
static void each_era_has_its_own_methods(void **state)
{
	static const char *const removed[] = { "logging/setLevel",
					       "resources/subscribe",
					       "resources/unsubscribe" };

	for (size_t i = 0; i < COUNT_OF(removed); i++)
		assert_int_equal(talk_code(*state, removed[i],
					   MODERN_META("{}")),
				 -32601);
	assert_int_equal(talk_code(*state, "subscriptions/listen", ""), -32601);
}

static const struct {
	const char *method, *list, *first;
	size_t count;
} lists[] = {
	{ "tools/list", "tools", "echo", 3 },
	{ "resources/list", "resources", "one", 1 },
	{ "resources/templates/list", "resourceTemplates", "all", 1 },
	{ "prompts/list", "prompts", "trip", 2 },
};

static void what_there_is_is_listed(void **state)
{
	for (size_t i = 0; i < COUNT_OF(lists); i++) {
		struct talk *t = *state;
		struct json v = talk_result(t, lists[i].method, "");
		struct json_walk w = json_walk(json_get(v, lists[i].list));

		assert_int_equal(json_count(json_get(v, lists[i].list)),
				 lists[i].count);
		assert_true(json_step(&w));
		assert_true(
			json_str_is(json_get(w.value, "name"), lists[i].first));
		assert_true(json_is(json_get(v, "ttlMs"), JSON_NONE));
		v = talk_result(t, lists[i].method, MODERN_META("{}"));
		assert_true(json_is(json_get(v, "ttlMs"), JSON_NUMBER));
		assert_true(json_is(json_get(v, "cacheScope"), JSON_STRING));
		assert_int_equal(talk_code(t, lists[i].method,
					   "\"cursor\":\"x\""),
				 -32602);
	}
}

static const struct {
	const char *method, *params;
	int64_t code;
	const char *text; /* "NAME|PART", PART matched by {...} */
} calls[] = {
	{ "tools/call", "\"name\":\"echo\"", 0, "echo|" },
	{ "tools/call", "\"name\":\"nothing\"", -32602, NULL },
	{ "resources/read", "\"uri\":\"x://one\"", 0, "x://one|" },
	{ "resources/read", "\"uri\":\"x://all/5/it\"", 0, "x://all/5/it|5" },
	{ "resources/read", "\"uri\":\"x://all//it\"", -32602, NULL },
	{ "resources/read", "\"uri\":\"x://all/a/b/it\"", -32602, NULL },
	{ "resources/read", "\"uri\":\"x://all/5\"", -32602, NULL },
	{ "resources/read", "\"uri\":\"x://one/\"", -32602, NULL },
	{ "resources/read", "\"uri\":5", -32602, NULL },
	{ "prompts/get", "\"name\":\"plain\"", 0, "plain|" },
	{ "prompts/get", "\"name\":\"trip\",\"arguments\":{\"city\":\"x\"}", 0,
	  "trip|" },
	{ "prompts/get", "\"name\":\"trip\",\"arguments\":{\"mood\":\"x\"}",
	  -32602, NULL },
	{ "prompts/get", "\"name\":\"trip\"", -32602, NULL },
	{ "prompts/get", "\"name\":\"none\"", -32602, NULL },
	{ "prompts/get", "", -32602, NULL },
};

static void what_there_is_can_be_had(void **state)
{
	struct talk *t = *state;

	for (size_t i = 0; i < COUNT_OF(calls); i++) {
		if (calls[i].code) {
			assert_int_equal(talk_code(t, calls[i].method,
						   calls[i].params),
					 calls[i].code);
			continue;
		}
		assert_str(talk_text(t, talk_result(t, calls[i].method,
						    calls[i].params)),
			   calls[i].text);
	}
}

/* SEP-2164: the error has the URI. */
static void a_resource_that_is_not_there_is_named(void **state)
{
	struct json v =
		talk_ask(*state, "resources/read", "\"uri\":\"x://none\"");
	struct json data = json_get(json_get(v, "error"), "data");

	assert_true(json_str_is(json_get(data, "uri"), "x://none"));
}

static const struct {
	const char *ref, *argument, *values;
} completed[] = {
	{ "{\"type\":\"ref/prompt\",\"name\":\"trip\"}",
	  "{\"name\":\"city\",\"value\":\"pa\"}", "[\"paris\",\"park\"]" },
	{ "{\"type\":\"ref/prompt\",\"name\":\"trip\"}",
	  "{\"name\":\"city\",\"value\":\"z\"}", "[]" },
	{ "{\"type\":\"ref/prompt\",\"name\":\"trip\"}",
	  "{\"name\":\"mood\",\"value\":\"\"}", "[]" },
	{ "{\"type\":\"ref/prompt\",\"name\":\"none\"}",
	  "{\"name\":\"city\",\"value\":\"\"}", NULL },
	{ "{\"type\":\"ref/resource\",\"uri\":\"x://none\"}",
	  "{\"name\":\"id\",\"value\":\"\"}", NULL },
	{ "{\"type\":\"ref/other\"}", "{\"name\":\"id\",\"value\":\"\"}",
	  NULL },
	{ "{\"type\":\"ref/prompt\",\"name\":\"trip\"}", "{}", NULL },
};

static void arguments_are_completed_by_how_they_begin(void **state)
{
	struct talk *t = *state;
	struct json v;

	for (size_t i = 0; i < COUNT_OF(completed); i++) {
		const char *params =
			arena_printf(&t->mem, "\"ref\":%s,\"argument\":%s",
				     completed[i].ref, completed[i].argument)
				.ptr;

		if (!completed[i].values) {
			assert_int_equal(talk_code(t, "completion/complete",
						   params),
					 -32602);
			continue;
		}
		v = json_get(talk_result(t, "completion/complete", params),
			     "completion");
		assert_str(json_raw(json_get(v, "values")),
			   completed[i].values);
		assert_true(json_is(json_get(v, "hasMore"), JSON_FALSE));
	}
	v = json_get(
		talk_result(
			t, "completion/complete",
			"\"ref\":{\"type\":\"ref/resource\",\"uri\":\"x://all/{id}/it\"},"
			"\"argument\":{\"name\":\"id\",\"value\":\"\"}"),
		"completion");
	assert_int_equal(json_count(json_get(v, "values")), 100);
	assert_str(json_raw(json_get(v, "total")), "150");
	assert_true(json_is(json_get(v, "hasMore"), JSON_TRUE));
}

/* Open a stream with that filter. */
static struct job *listen_for(struct talk *t, const char *filter)
{
	struct job *job = talk_begin(
		t,
		talk_request(t, "subscriptions/listen",
			     arena_printf(&t->mem,
					  MODERN_META(
						  "{}") ",\"notifications\":%s",
					  filter)
				     .ptr));

	return job;
}

#define ID "\"_meta\":{\"io.modelcontextprotocol/subscriptionId\":7}"

/* 2026-07-28: acknowledged first, then notified as the filter says. */
static void a_stream_is_told_what_it_asked_for(void **state)
{
	struct talk *t = *state;
	struct job *job;

	link_end(&t->link);
	job = listen_for(
		t,
		"{\"promptsListChanged\":true,\"toolsListChanged\":false,\"resourceSubscriptions\":[\"x://one\"],\"more\":true}");
	assert_int_equal(job->reply.len, 0);
	assert_str(
		t->sent[0],
		"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/subscriptions/acknowledged\",\"params\":{" ID
		",\"notifications\":{\"promptsListChanged\":true,\"resourceSubscriptions\":[\"x://one\"]}}}");
	(void)talk_result(t, "tools/call", "\"name\":\"change\"");
	assert_int_equal(t->sends, 3);
	assert_str(
		t->sent[1],
		"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/prompts/list_changed\",\"params\":{" ID
		"}}");
	assert_str(
		t->sent[2],
		"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/resources/updated\",\"params\":{" ID
		",\"uri\":\"x://one\"}}");
	assert_true(ask_give_up(job));
	job_drop(job);
	job_free(job);
	(void)talk_result(t, "tools/call", "\"name\":\"change\"");
	assert_int_equal(t->sends, 3);
}

static const char *const wrong_filters[] = {
	"[]", "5", "null", "{\"resourceSubscriptions\":[5]}"
};

static void a_wrong_filter_opens_nothing(void **state)
{
	struct talk *t = *state;

	link_end(&t->link);
	for (size_t i = 0; i < COUNT_OF(wrong_filters); i++) {
		struct json v = talk_reply(t, listen_for(t, wrong_filters[i]));

		assert_true(json_is(json_get(v, "error"), JSON_OBJECT));
		assert_null(t->served.subscriptions.first);
	}
	assert_int_equal(t->sends, 0);
}

/* Before: all lists, and the subscribed resources. */
static void an_older_client_is_told_too(void **state)
{
	struct talk *t = *state;

	(void)talk_result(t, "tools/call", "\"name\":\"change\"");
	assert_int_equal(t->sends, 3);
	assert_str(
		t->sent[0],
		"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\",\"params\":{}}");
	for (int i = 0; i < 2; i++) /* subscribing twice changes nothing */
		assert_int_equal(json_count(talk_result(t,
							"resources/subscribe",
							"\"uri\":\"x://one\"")),
				 0);
	(void)talk_result(t, "tools/call", "\"name\":\"change\"");
	assert_int_equal(t->sends, 7);
	assert_str(
		t->sent[6],
		"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/resources/updated\",\"params\":{\"uri\":\"x://one\"}}");
	assert_int_equal(json_count(talk_result(t, "resources/unsubscribe",
						"\"uri\":\"x://one\"")),
			 0);
	(void)talk_result(t, "tools/call", "\"name\":\"change\"");
	assert_int_equal(t->sends, 10);
	assert_int_equal(talk_code(t, "resources/subscribe", ""), -32602);
}

static void subscriptions_have_an_end(void **state)
{
	struct talk *t = *state;

	for (int i = 0; i < 256; i++)
		(void)talk_result(t, "resources/subscribe",
				  arena_printf(&t->mem, "\"uri\":\"x://%d\"", i)
					  .ptr);
	assert_int_equal(talk_code(t, "resources/subscribe",
				   "\"uri\":\"x://256\""),
			 -32602);
}

struct given {
	struct headers headers; /* first: it is cast */
	const char *a, *n;
};

static struct str find_header(const struct headers *h, const char *name)
{
	const struct given *g = (const struct given *)h;

	if (!strcmp(name, "Mcp-Param-A"))
		return str_of(g->a);
	return !strcmp(name, "Mcp-Param-N") ? str_of(g->n) : STR("?");
}

static const struct {
	const char *arguments, *a, *n;
	bool right;
} marked[] = {
	{ "{\"a\":\"x\",\"n\":5,\"free\":\"y\"}", "x", "5", true },
	{ "{\"a\":\"x\"}", "x", NULL, true },
	{ "{}", NULL, NULL, true },
	{ "{\"a\":\"Hello\"}", "=?base64?SGVsbG8=?=", NULL, true },
	{ "{\"a\":\"=?base64?SGVsbG8=\"}", "=?base64?SGVsbG8=", NULL, true },
	{ "{\"a\":\"Hello\"}", "=?base64?SGVsbG8?=", NULL, false },
	{ "{\"a\":\"Hello\"}", "=?base64?SGVs!!!bG8=?=", NULL, false },
	{ "{\"a\":\"x\"}", "X", NULL, false },
	{ "{\"a\":\"x\"}", NULL, NULL, false },
	{ "{}", "x", NULL, false },
	{ "{\"a\":null}", NULL, NULL, true },
	{ "{\"a\":[\"x\"]}", "x", NULL, false },
	{ "{\"n\":5}", NULL, "6", false },
};

/* SEP-2243: marked arguments are repeated in headers. */
static void marked_arguments_are_held_to_their_headers(void **state)
{
	struct talk *t = *state;

	for (size_t i = 0; i < COUNT_OF(marked); i++) {
		struct given given = {
			{ STR_INIT("2026-07-28"), STR_INIT("tools/call"),
			  STR_INIT("marked"), find_header },
			marked[i].a,
			marked[i].n,
		};
		struct job *job = job_new(&t->server);

		buf_add(&job->text,
			talk_request(
				t, "tools/call",
				arena_printf(
					&t->mem,
					"\"name\":\"marked\",\"arguments\":%s," MODERN_META(
						"{}"),
					marked[i].arguments)
					.ptr));
		job->headers = &given.headers;
		if (job_read(job, &t->link) == JOB_READS)
			(void)job_run(job, 0);
		assert_int_equal(job->status, marked[i].right ? 200 : 400);
		assert_true(
			json_is(json_get(talk_reply(t, job),
					 marked[i].right ? "result" : "error"),
				JSON_OBJECT));
	}
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		CASE(without_a_catalog_there_is_none_of_it),
		CASE(each_era_has_its_own_methods),
		CASE(what_there_is_is_listed),
		CASE(what_there_is_can_be_had),
		CASE(a_resource_that_is_not_there_is_named),
		CASE(arguments_are_completed_by_how_they_begin),
		CASE(a_stream_is_told_what_it_asked_for),
		CASE(a_wrong_filter_opens_nothing),
		CASE(an_older_client_is_told_too),
		CASE(subscriptions_have_an_end),
		CASE(marked_arguments_are_held_to_their_headers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
