/*
 * ask_queue.h - the approval queue: questions as rows of the store, which the
 * page and `stet approvals` answer; and the grants that wide answers become.
 */
#ifndef STET_ASK_QUEUE_H
#define STET_ASK_QUEUE_H

#include "rpc/ask.h"
#include "rpc/server.h"
#include "store/approvals.h"
#include "tools/call/dispatch.h"

/*
 * Add the question, or find the same open question, as ask->approval. The row
 * says that the call waits until ask->waits. False: the store failed.
 */
must_check bool ask_queue_add(struct job *job);

/* Poll: is ask->approval decided or expired? Sets ask->decisions. */
must_check bool ask_queue_decided(struct job *job);

/* The time of the next poll; intervals grow with the time waited. */
uint64_t ask_queue_next_poll(const struct job *job, uint64_t now);

/*
 * End the call without an answer. The fault has the id of the approval, but
 * not how to decide it: the model must not. Without a store it says what the
 * user can configure instead.
 */
enum err ask_queue_refuse(struct dispatch *d);

/* The same for `stet call`, which has no client that could ask. */
enum err ask_queue_refuse_command(struct dispatch *d);

/* The same, after the client declined without asking a person. */
enum err ask_queue_refuse_declined(struct dispatch *d);

/*
 * Expire an approval whose question the client has answered. False: it was
 * decided first, and that decision counts.
 */
must_check bool ask_queue_withdraw(struct server *s, struct uuid id);

/*
 * The grant that an answer in the client's dialog is. False: it covers this
 * call only, or cannot be stored.
 */
must_check bool ask_queue_grant(const struct call *c, enum ask_answer answer,
				bool dialogs_may_last, struct grant *ret);

/* The grant as a sentence, with paths relative to the call's roots. */
struct str ask_queue_words(const struct call *c, const struct grant *g);

/*
 * Store the grant of a wide answer in the client's dialog. It ends with the
 * session unless the user's settings let dialogs give lasting grants.
 */
void ask_queue_keep(const struct call *c, enum ask_answer answer,
		    bool dialogs_may_last);

/* A decision on a question in the queue. */
struct ask_decision {
	enum ask_answer answer;
	struct str note;       /* with ASK_DENY: a note for the agent */
	struct str hunks;      /* with ASK_ONCE: "1,3"; .ptr NULL = all */
	bool withdraws;        /* ASK_DENY also revokes an unused yes */
	uint64_t for_ms;       /* duration of a grant; 0 = no limit */
	const char *channel;   /* "terminal" or "page", for the grant */
	struct server *server; /* whose calls are woken; NULL outside of one */
	/*
	 * Called for a wide answer before it counts: has the person seen the
	 * reach of the grant? An error leaves the question open. NULL = no
	 * check.
	 */
	enum err (*agree)(void *ctx, const struct approval *a,
			  const struct grant *g, struct fault *f);
	void *ctx;
};

/*
 * Decide @id. *@ret is the approval, *@ret_grant the grant of a wide answer.
 * ERR_NO_APPROVAL with reason "decided" if it is not pending any more,
 * ERR_BAD_ARGS for an answer that this question does not allow.
 */
must_check enum err ask_queue_decide(struct store *s, struct str id,
				     const struct ask_decision *d,
				     struct arena *mem, struct approval *ret,
				     struct grant *ret_grant, struct fault *f);

#endif
