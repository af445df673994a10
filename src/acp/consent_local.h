/*
 * consent_local.h - a question to the person, until it is answered.
 */
#ifndef STET_CONSENT_LOCAL_H
#define STET_CONSENT_LOCAL_H

#include "acp/agent_local.h"

enum consent { CONSENT_ONCE, CONSENT_ALWAYS, CONSENT_REJECT, CONSENT_CANCEL };

struct consent_option {
	const char *id, *name, *kind;
};

extern const struct consent_option consent_options[];

enum consent consent_of(const struct wire_answer *answer);

struct permission {
	struct permission *next;
	struct session *session;
	void (*answer)(struct permission *p, enum consent consent);
	void *ctx;         /* for @answer */
	uint64_t number;   /* of our question to the editor; 0 = none open */
	struct buf id;     /* of Codex's question, raw */
	struct buf params; /* what the answer needs of it */
};

struct permission *consent_new(struct session *s, struct str id,
			       struct str params);

/* What others wrote, as a person may look at it: on one line, or on several. */
struct str consent_line(struct str text, struct arena *mem);
struct str consent_text(struct str text, struct arena *mem);

/* Put it to the editor: @call is the toolCall it is about. */
void consent_ask(struct permission *p, struct str call, bool always);

/* Answer it, and forget it. */
void consent_settle(struct permission *p, enum consent consent);

void consent_drop(struct permission *p);

/* Nobody waits for the answer any more. */
void consent_withdraw(struct permission *p);

/* consent_own.c: for the bridge, @session is a struct session. */
void consent_job(void *session, struct job *job);
void consent_unask(void *session, struct job *job);

/* forms.c: questions of MCP servers and of Codex's own tools. */
void form_ask(struct session *s, const struct wire_message *m);
void form_ask_input(struct session *s, const struct wire_message *m);

#endif
