/*
 * test_job.c - properties of a message that a job reports to its transport.
 */
#include "../unit.h"

#include "rpc/job.h"

#define META "\"params\":{\"_meta\":{\"io.modelcontextprotocol/clientInfo\":"

static const struct {
	const char *message, *name;
} clients[] = {
	{ "{\"jsonrpc\":\"2.0\"," META "{\"name\":\"editor\"}}}}", "editor" },
	{ "{\"jsonrpc\":\"2.0\"," META "{\"name\":7}}}}", "" },
	{ "{\"jsonrpc\":\"2.0\"," META "7}}}", "" },
	{ "{\"jsonrpc\":\"2.0\",\"params\":{}}", "" },
	{ "[]", "" },
};

static void a_message_that_stands_alone_names_its_client(void **state)
{
	struct server server = { .version = "1" };

	for (size_t i = 0; i < COUNT_OF(clients); i++) {
		struct job *job = job_new(&server);
		struct link link = { 0 };

		buf_add(&job->text, str_of(clients[i].message));
		assert_true(job_parse(job));
		assert_true(str_is(job_client_name(job), clients[i].name));
		job_introduce(job, &link);
		assert_true(str_is(link.client_name, clients[i].name));
		link_free(&link);
		job_free(job);
	}
}

static void a_message_that_is_too_long_is_refused(void **state)
{
	struct server server = { .version = "1" };
	struct job *job = job_new(&server);

	job_refuse_long(job, 7);
	assert_true(str_is(
		buf_str(&job->reply),
		"{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32600,\"message\":"
		"\"Message too long: more than 7 bytes (see --max-message)\"}}"));
	job_free(job);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_message_that_stands_alone_names_its_client),
		cmocka_unit_test(a_message_that_is_too_long_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
