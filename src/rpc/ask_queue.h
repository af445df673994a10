/*
 * ask_queue.h - questions in the store, for `stet approvals` to answer, and
 * answers that go beyond one call.
 */
#ifndef STET_ASK_QUEUE_H
#define STET_ASK_QUEUE_H

#include "rpc/ask.h"
#include "store/approvals.h"
#include "tools/dispatch.h"

enum { ASK_LOOK_MS = 300 }; /* how often the queue is looked at */

/*
 * Put the question there, or find it there. The call waits until @waits_ms
 * (unix time). False: that cannot be.
 */
must_check bool ask_queue_add(struct dispatch *d, uint64_t waits_ms,
			      struct uuid *ret);

/*
 * End the call for want of an answer: the fault names the approval, but not
 * how to decide it, which is not for the model to know; or, where there is no
 * queue, how to do without.
 */
enum err ask_queue_refuse(struct dispatch *d);

/* The same, after the client has declined without asking anybody. */
enum err ask_queue_refuse_declined(struct dispatch *d);

/* Is it still undecided? */
bool ask_queue_waits(struct store *s, struct uuid id, struct arena *mem);

/*
 * The question was answered elsewhere: nobody needs to answer it there. False:
 * somebody has, and was the first.
 */
must_check bool ask_queue_withdraw(struct store *s, struct uuid id,
				   struct arena *mem);

/*
 * What an answer in a client's own dialog grants beyond this call. False:
 * nothing, or nothing that could be kept.
 */
must_check bool ask_queue_grant(const struct call *c, enum ask_answer answer,
				bool dialogs_may_last, struct grant *ret);

/* What it covers, in words, with paths as seen from the roots of the call. */
struct str ask_queue_words(const struct call *c, const struct grant *g);

/*
 * Keep the answer that came by a client's own dialog for calls to come, if it
 * is a wide one and there is room. It ends with the session, however wide it
 * is, unless the person's settings say that dialogs may last.
 */
void ask_queue_keep(const struct call *c, enum ask_answer answer,
		    bool dialogs_may_last);

/* What the person says to a question in the queue. */
struct ask_decision {
	enum ask_answer answer;
	struct str note;     /* with ASK_DENY: a word to the agent */
	struct str hunks;    /* with ASK_ONCE: "1,3"; .ptr NULL = all of it */
	bool withdraws;      /* ASK_DENY also takes back a yes not used yet */
	uint64_t for_ms;     /* how long a grant holds; 0 = no limit */
	const char *channel; /* where it was given: "terminal", "page" */
	/*
	 * With a wide answer, right before it counts: has the person seen how
	 * far it reaches? An error ends it, and the question waits on. NULL =
	 * nobody asks.
	 */
	enum err (*agree)(void *ctx, const struct approval *a,
			  const struct grant *g, struct fault *f);
	void *ctx;
};

/*
 * Decide @id. *@ret is the approval; *@ret_grant what it is beyond this one
 * call (with any answer but ASK_ONCE and ASK_DENY). ERR_NO_APPROVAL with
 * reason "decided" when it waits no more, ERR_BAD_ARGS for an answer that it
 * cannot have.
 */
must_check enum err ask_queue_decide(struct store *s, struct str id,
				     const struct ask_decision *d,
				     struct arena *mem, struct approval *ret,
				     struct grant *ret_grant, struct fault *f);

#endif
