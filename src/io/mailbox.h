/*
 * mailbox.h - messages from any thread to the thread of an event loop.
 *
 * This is the one way back to a loop: results of the thread pool, messages
 * for a client and events for the page all take it. A struct mail is embedded
 * in what is posted, which stays the sender's until deliver() is called.
 */
#ifndef STET_MAILBOX_H
#define STET_MAILBOX_H

#include "base/base.h"

#include <pthread.h>

struct mail {
	struct mail *next;
	void (*deliver)(struct mail *); /* on the loop's thread; may free it */
};

struct mailbox {
	/* Called by the posting thread: have the loop call mailbox_deliver() */
	void (*wake)(void *ctx);
	void *ctx;

	pthread_mutex_t lock; /* for the queue below */
	struct mail *first, **last;
};

void mailbox_open(struct mailbox *box, void (*wake)(void *ctx), void *ctx);
void mailbox_close(struct mailbox *box);

/* From any thread. Mail is delivered in the order in which it was posted. */
void mailbox_post(struct mailbox *box, struct mail *mail);

/*
 * On the loop's thread: deliver what has been posted so far. Mail posted
 * meanwhile waits for the next call, so that a loop gets to its descriptors.
 * False: there was none.
 */
bool mailbox_deliver(struct mailbox *box);

/* Deliver until there is no more. */
void mailbox_drain(struct mailbox *box);

#endif
