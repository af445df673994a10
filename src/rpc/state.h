/*
 * state.h - what a client of 2026-07-28 carries for us between a question and
 * its answer: the requestState.
 *
 * It is sealed for one caller, method, tool and arguments (the context), is
 * good for some minutes, and once. Which ones were used is remembered for as
 * long as they could come again; when there are too many of them, the oldest
 * is forgotten together with all that were made before it.
 */
#ifndef STET_STATE_H
#define STET_STATE_H

#include "base/digest.h"
#include "base/seal.h"
#include "base/uuid.h"

enum { STATE_NONCE = 16, STATE_MOST_USED = 1024 };

struct state_used {
	uint8_t nonce[STATE_NONCE];
	uint64_t made;
};

/* One for all clients of the process. */
struct state_book {
	struct seal_key key;
	uint64_t good_ms; /* how long one is good */
	struct state_used used[STATE_MOST_USED];
	size_t used_count; /* all that ever were; the latest are kept */
	uint64_t floor;    /* what was made up to then is good no more */
};

struct state {
	struct digest shown; /* of all that the person was shown */
	uint64_t confirm;    /* the answer to be confirmed; see struct ask */
	struct str summary;  /* one line of it; of a round: its answers */
	bool queued;         /* the queue has the question, too: */
	struct uuid approval;
	uint64_t made; /* filled in: clock_ms() of state_make() */
};

/* @b is all zero before. */
void state_book_open(struct state_book *b, uint64_t good_ms);
void state_book_close(struct state_book *b);

/* @now is clock_ms(). Any thread. */
struct str state_make(struct state_book *b, const struct state *s,
		      struct str context, uint64_t now, struct arena *mem);

enum state_judged { STATE_GOOD, STATE_USED, STATE_EXPIRED, STATE_UNKNOWN };

/* Take it back, from one thread only: from STATE_GOOD on it is used. */
must_check enum state_judged state_judge(struct state_book *b, struct str text,
					 struct str context, uint64_t now,
					 struct arena *mem, struct state *ret);

/*
 * The same in words. NULL when it is right, and from then on
 * it is used; else what is wrong with it.
 */
must_check const char *state_take(struct state_book *b, struct str text,
				  struct str context, uint64_t now,
				  struct arena *mem, struct state *ret);

#endif
