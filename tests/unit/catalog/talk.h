/*
 * talk.h - an MCP client in a test of the catalog: sends messages to a server
 * and collects replies, and the notifications and requests sent to it.
 */
#ifndef STET_TALK_H
#define STET_TALK_H

#include "../parsed.h"

#include "catalog/catalog.h"
#include "rpc/job.h"

enum { MOST_SENT = 64 };

struct talk {
	struct peer peer; /* first: it is cast */
	struct str sent[MOST_SENT];
	size_t sends, pauses;
	struct server server;
	struct catalog_server served;
	struct link link;
	struct arena mem;
	unsigned status; /* of the last reply */
};

#define MODERN_META(more)                                                        \
	"\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\"," \
	"\"io.modelcontextprotocol/clientCapabilities\":" more "}"

static inline void talk_on_send(struct peer *peer, struct str message)
{
	struct talk *t = (struct talk *)peer;

	assert_true(t->sends < MOST_SENT);
	t->sent[t->sends++] = arena_copy(&t->mem, message);
}

static inline void talk_on_pause(struct peer *peer)
{
	((struct talk *)peer)->pauses++;
}

static inline struct talk *talk_new(const struct catalog *c)
{
	static const struct selection_item none = { SELECT_ALL, '-', NULL };
	struct talk *t = test_calloc(1, sizeof(*t));

	t->peer = (struct peer){ talk_on_send, talk_on_pause };
	t->server = (struct server){ .version = "1",
				     .tools = { .max_reply = 1 << 20 },
				     .selection = { &none, 1 },
				     .ask_ms = 600 * 1000 };
	catalog_attach(&t->served, c, &t->server);
	request_state_issuer_open(&t->server.request_states, 600 * 1000);
	t->link.peer = &t->peer;
	return t;
}

static inline void talk_free(struct talk *t)
{
	assert_null(t->link.parked);
	link_free(&t->link);
	assert_null(t->served.subscriptions.first);
	arena_free(&t->mem);
	test_free(t);
}

/* Run a message as io/call_queue does, until it is answered or parked. */
static inline struct job *talk_begin(struct talk *t, struct str message)
{
	struct job *job = job_new(&t->server);
	enum job_schedule next;

	buf_add(&job->text, message);
	next = job_read(job, &t->link);
	if (next == JOB_READS && job_run(job, 1) == JOB_LATER)
		(void)job_run(job, 0);
	if (next == JOB_READS && job->ran == JOB_PARKED)
		ask_park(job);
	return job;
}

static inline struct json talk_reply(struct talk *t, struct job *job)
{
	struct str reply = arena_copy(&t->mem, buf_str(&job->reply));

	t->status = job->status;
	job_free(job);
	return reply.len ? parsed(reply, &t->mem) : (struct json){ 0 };
}

/* A request of @method; @params without their braces. */
static inline struct str talk_request(struct talk *t, const char *method,
				      const char *params)
{
	return arena_printf(
		&t->mem,
		"{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"%s\",\"params\":{%s}}",
		method, params);
}

static inline struct json talk_ask(struct talk *t, const char *method,
				   const char *params)
{
	return talk_reply(t, talk_begin(t, talk_request(t, method, params)));
}

static inline struct json talk_result(struct talk *t, const char *method,
				      const char *params)
{
	struct json result = json_get(talk_ask(t, method, params), "result");

	assert_true(json_is(result, JSON_OBJECT));
	return result;
}

static inline int64_t talk_code(struct talk *t, const char *method,
				const char *params)
{
	struct json error = json_get(talk_ask(t, method, params), "error");
	int64_t code = 0;

	(void)!json_int(json_get(error, "code"), &code);
	return code;
}

static inline struct json talk_sent(struct talk *t, size_t i)
{
	assert_true(i < t->sends);
	return parsed(t->sent[i], &t->mem);
}

static inline void talk_greet(struct talk *t, const char *capabilities)
{
	(void)talk_result(
		t, "initialize",
		arena_printf(
			&t->mem,
			"\"protocolVersion\":\"2025-11-25\",\"capabilities\":%s",
			capabilities)
			.ptr);
	job_free(talk_begin(
		t,
		STR("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}")));
}

/* The first text of a tool's or a prompt's result. */
static inline struct str talk_text(struct talk *t, struct json result)
{
	struct json_walk w = json_walk(json_get(result, "content"));
	struct str text;

	assert_true(json_step(&w));
	assert_true(json_text(json_get(w.value, "text"), &t->mem, &text));
	return text;
}

#endif
