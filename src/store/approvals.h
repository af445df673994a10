/*
 * approvals.h - questions for the person, and what they have answered.
 *
 * A call that must be asked for becomes a row: pending, with the question and
 * the diff. The person allows it (once, or more) or denies it; the same call,
 * made again by the same caller, then passes once or is refused. A grant is
 * an answer that goes beyond one call.
 */
#ifndef STET_APPROVALS_H
#define STET_APPROVALS_H

#include "store/store.h"

enum approval_state {
	APPROVAL_PENDING,
	APPROVAL_ALLOWED, /* the next call like it passes, once */
	APPROVAL_DENIED,  /* the next call like it is told so, once */
	APPROVAL_USED,    /* it was */
	APPROVAL_EXPIRED,
};

struct approval {
	struct uuid id;
	uint64_t time_ms, until_ms; /* asked; and then it is too late */
	enum approval_state state;
	struct str tool, path, client, session, scope;
	struct str
		digest; /* of caller, tool and arguments: what is "the same" */
	struct str summary; /* one line: what would happen */
	struct str diff;    /* what would change; or the exact content */
	struct str reason;  /* the rule that asks */
	struct str note;    /* what the person said when denying */
	size_t parts;       /* hunks of @diff to choose from; 0 = whole only */
	struct str hunks;   /* "1,3": only these were allowed; "" = all */
};

/*
 * Ask: the pending approval with the same digest if there is one (then
 * nothing is asked twice), else a new row. Fills in id, times and state.
 */
must_check enum err approval_ask(struct store *s, struct approval *a,
				 struct arena *mem, struct fault *f);

/*
 * What was decided of @digest: the newest that is not used up. Allowed and
 * denied ones become used in the same step, so that two callers cannot both
 * have it. ERR_NO_APPROVAL when nothing was asked or all is used.
 */
must_check enum err approval_take(struct store *s, struct str digest,
				  struct arena *mem, struct approval *ret,
				  struct fault *f);

/* Look without taking; by id or its first digits. */
must_check enum err approval_find(struct store *s, struct str id,
				  struct arena *mem, struct approval *ret,
				  struct fault *f);

/* All pending ones (or all of them), oldest first. */
must_check enum err approval_list(struct store *s, bool all, struct arena *mem,
				  struct approval **ret, size_t *ret_n,
				  struct fault *f);

/*
 * The person decides; ERR_NO_APPROVAL unless it is still pending. @hunks are
 * those of an APPROVAL_ALLOWED that is not for all of it (tools/hunks.h).
 */
must_check enum err approval_decide(struct store *s, struct uuid id,
				    enum approval_state state, struct str note,
				    struct str hunks, struct fault *f);

enum grant_reach { GRANT_FILE, GRANT_DIRECTORY, GRANT_SESSION, GRANT_ALWAYS };

/* "May do this without being asked", as wide as the person said. */
struct grant {
	struct uuid id;
	uint64_t time_ms, until_ms; /* until 0 = for ever */
	enum grant_reach reach;
	struct str tool;    /* "" = every tool */
	struct str path;    /* the file, or the directory; "" = any */
	struct str session; /* with GRANT_SESSION: only that one */
};

must_check enum err grant_add(struct store *s, struct grant *g,
			      struct fault *f);
must_check enum err grant_list(struct store *s, struct arena *mem,
			       struct grant **ret, size_t *ret_n,
			       struct fault *f);
must_check enum err grant_remove(struct store *s, struct uuid id,
				 struct fault *f);

/* Is there one that covers this call? */
must_check enum err grant_covers(struct store *s, struct str tool,
				 struct str path, struct str session, bool *ret,
				 struct fault *f);

#endif
