/*
 * answer_many.h - one answer to several questions of the queue, at a terminal.
 *
 * Which questions it is for is settled first and shown in full; after the
 * person's yes each is answered for itself, by its whole id. One that was
 * answered or has changed in between is not answered, and the others are.
 */
#ifndef STET_ANSWER_MANY_H
#define STET_ANSWER_MANY_H

#include "store/approvals.h"

struct many_answer {
	struct store *store;
	char *const *ids; /* whole or in part; none: all that wait */
	size_t id_count;
	struct str client; /* only questions of this client; "" = of any */
	bool deny;         /* else allow, once each */
	struct str note;   /* with @deny: a word to the agents */
	bool yes;          /* do not ask the person to confirm */
	bool json;
};

/* The exit status: of the first question that could not be answered, or 0. */
int answer_many(const struct many_answer *want);

#endif
