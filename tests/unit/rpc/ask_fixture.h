/*
 * ask_fixture.h - a server with a tool `edit` that always asks, a real store, and
 * a client whose messages are recorded; for the tests of rpc/ask.h.
 */
#ifndef STET_TEST_ASK_FIXTURE_H
#define STET_TEST_ASK_FIXTURE_H

#include "../unit.h"

#include "rpc/job.h"
#include "store/approvals.h"

extern int edits;             /* number of edits that were made */
extern const char *edit_diff; /* the diff in the question of the tool */

struct ask_fixture {
	struct peer peer; /* must be first: cast to ask_fixture */
	struct buf sent;  /* the last message to the client */
	unsigned sends;   /* number of messages to the client */
	struct server server;
	struct link link;
	struct arena mem;
	char dir[32];
};

#define ASK_CASE(name) \
	cmocka_unit_test_setup_teardown(name, ask_set_up, ask_tear_down)

int ask_set_up(void **state);
int ask_tear_down(void **state);
void ask_forget_store(struct ask_fixture *x);

/* Run a message until it is answered or parked. Free the job. */
struct job *ask_run_message(struct ask_fixture *x, const char *message);

/* Run a message; its reply. */
struct json ask_call(struct ask_fixture *x, const char *message);

/* The reply of a job, which is freed. */
struct json ask_reply_of(struct ask_fixture *x, struct job *job);

/* Run the next job that can go on; its reply. */
struct json ask_next_reply(struct ask_fixture *x);

struct json ask_parse(struct ask_fixture *x, struct str text);
int64_t ask_code(struct json reply); /* error code; 0 = success */
bool ask_says(struct json v, const char *text);

/* A call of 2026-07-28 with these capabilities and further members. */
const char *ask_modern(struct ask_fixture *x, const char *can, const char *path,
		       const char *more);

/* Capabilities of a client that can show a form. */
#define CAN "{\"elicitation\":{}}"

/* The requestState of an input_required result. */
struct str ask_state_of(struct ask_fixture *x, struct json reply);

/* The members that answer the question of @state, for ask_modern(). */
const char *ask_answer_members(struct ask_fixture *x, struct str state,
			       const char *response);

#define SAYS(word) \
	"{\"action\":\"accept\",\"content\":{\"decision\":\"" word "\"}}"

/* A call before 2026-07-28. */
const char *ask_older(struct ask_fixture *x, int id, const char *path);

/* The only pending approval, and a decision on it. */
struct approval ask_only_pending(struct ask_fixture *x);
void ask_decide(struct ask_fixture *x, enum approval_state what);

#endif
