/*
 * permission_local.h - an open session/request_permission.
 *
 * Created by permission_new(), sent by permission_ask(); on_answer() is called
 * once, unless the request is withdrawn.
 */
#ifndef STET_PERMISSION_LOCAL_H
#define STET_PERMISSION_LOCAL_H

#include "acp/agent_local.h"

enum permission_answer {
	PERMISSION_ONCE,
	PERMISSION_ALWAYS,
	PERMISSION_REJECT,
	PERMISSION_CANCEL
};

struct permission_option {
	const char *id, *name, *kind;
};

extern const struct permission_option permission_options[];

enum permission_answer
permission_answer_of(const struct jsonrpc_response *answer);

struct permission {
	struct permission *next;
	struct session *session;
	void (*on_answer)(struct permission *p, enum permission_answer answer);
	void *ctx;         /* for @on_answer */
	uint64_t number;   /* JSON-RPC id of our request; 0 = not sent */
	struct buf id;     /* raw id of Codex's request */
	struct buf params; /* data that the answer needs */
};

struct permission *permission_new(struct session *s, struct str id,
				  struct str params);

/* Text of a third party, made safe to display: on one line, or on several. */
struct str permission_line(struct str text, struct arena *mem);
struct str permission_text(struct str text, struct arena *mem);

/* Send the request; @call is its toolCall, @always offers "always". */
void permission_ask(struct permission *p, struct str call, bool always);

/* Call on_answer() and free the request. */
void permission_answered(struct permission *p, enum permission_answer answer);

void permission_drop(struct permission *p);

/* Cancel the request at the editor and free it; on_answer() is not called. */
void permission_withdraw(struct permission *p);

/* permission_own.c: callbacks of the bridge; @session is a struct session. */
void permission_ask_for_job(void *session, struct job *job);
void permission_withdraw_job(void *session, struct job *job);

/* forms.c: questions of MCP servers and of Codex's own tools. */
void form_ask(struct session *s, const struct jsonrpc_message *m);
void form_ask_input(struct session *s, const struct jsonrpc_message *m);

#endif
