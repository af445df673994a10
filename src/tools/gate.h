/*
 * gate.h - may this call do that to this file?
 *
 * Asked for a change that would otherwise be made (A52): what the rules say,
 * then what the person has said before (grants, approvals that were decided),
 * and when that is not enough, ERR_ASK with c->question filled in.
 *
 * A yes is bound to everything that it was given for: the caller, the tool and
 * its arguments, the resolved path, what is there and what would be there, and
 * the words that were shown. Whatever differs is asked again.
 */
#ifndef STET_GATE_H
#define STET_GATE_H

#include "tools/change.h"
#include "tools/rules.h"

/* What would be done, as the rules and the person want to know it. */
struct deed_facts {
	struct str path, key;
	const struct snapshot *before; /* NULL = a new file */
	struct str after;
	const struct encoding *encoding; /* of @after; NULL = not known */
	bool remove;
	struct str summary; /* "" = made from the above */
	struct str does;    /* with as_is: what is done, in words */
	struct str held;    /* which file is read, and as of when; "" */
	bool as_is;         /* show @after itself rather than a diff */
	bool appends;       /* @after is added at the end of the file */
	unsigned mode;      /* that it is to have; 0 = as it is */
	bool divisible;     /* the person may take some hunks of it */
	struct taken taken; /* and has: @after is what they make of it */
};

/* All that the person is shown, to tell whether it is still the same. */
struct digest question_digest(const struct question *q);

must_check enum err gate_change(struct call *c, struct deed_facts *facts);

/*
 * ERR_DENIED when a rule hides the file from every verb. Of a tool that only
 * reads, ERR_ASK when a rule asks, or the file is a secret; of one that
 * changes, c->unread is set then, or it is ERR_DENIED when the change would be
 * in any case.
 */
must_check enum err gate_see(struct call *c, struct str path, struct str key);

/*
 * ERR_DENIED when @path goes through a name that a rule hides from every verb
 * and back by "..": asked before anything is looked for at @path, so that all
 * such paths get the same answer.
 */
must_check enum err gate_way(struct call *c, struct str path);

/* Is it denied to this call, so that nothing may be said of it? */
bool gate_hides(struct call *c, struct str path, struct str key);

/*
 * How a call ends, @e being what its handler says. While c->unread has a rule,
 * the person is asked before a result or an error is told: both depend on what
 * the file holds. The question has the same words as one about a change that
 * would succeed, so that it does not tell either.
 */
must_check enum err gate_reveal(struct call *c, enum err e);

/*
 * Is the file one of those that are asked for by default, or of stet's own?
 * Then no grant covers it that was not given for this very file. The person's
 * rules and mode do not matter here; @base is that of struct rules.
 */
bool gate_is_sensitive(const struct deed *deed, const struct str *base,
		       size_t base_count);

/*
 * May a hint name this file? Not if it is denied, asked for, ignored or
 * sensitive.
 */
bool gate_may_name(struct call *c, struct str key);

/* Is it ignored by the project's configuration? */
bool gate_ignores(struct call *c, struct str path, struct str key);

#endif
