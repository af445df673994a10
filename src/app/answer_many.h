/*
 * answer_many.h - one answer to several questions of the queue, at a terminal.
 *
 * The questions are selected first and shown in full. After the person has
 * confirmed, each is answered separately, by its whole id: a question that was
 * answered or has changed in between is skipped, the others are answered.
 */
#ifndef STET_ANSWER_MANY_H
#define STET_ANSWER_MANY_H

#include "store/approvals.h"

struct many_answer {
	struct store *store;
	char *const *
		ids; /* whole ids or unique parts; none = every open question */
	size_t id_count;
	struct str client; /* only questions of this client; "" = of any */
	bool deny;         /* else allow, once each */
	struct str note;   /* with @deny: a message for the agents */
	bool yes;          /* do not ask the person to confirm */
	bool json;
};

/* Returns the exit status: 0, or that of the first answer that failed. */
int answer_many(const struct many_answer *want);

#endif
