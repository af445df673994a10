/*
 * change_set.h - the changes of one call between their approval and the result.
 *
 * Internal to change.c and change_append.c. The former goes through the steps:
 * change_set_check() before a person is asked; then change_set_hooks() for each
 * change, and change_set_write().
 */
#ifndef STET_CHANGE_SET_H
#define STET_CHANGE_SET_H

#include "tools/change/change.h"
#include "tools/change/hooks.h"
#include "tools/change/record.h"
#include "tools/permissions/gate.h"

/* One change of a call, on its way. */
struct making {
	struct change made; /* as it was approved */
	struct hash after;  /* version of the new content */
	struct record record;
};

/* All changes of a call; the arrays are in the same order. */
struct change_set {
	struct call *call;
	size_t n;
	const struct change *asked;
	struct action_facts *facts;
	struct making *making;
	struct changed *ret;
	struct uuid group; /* id of its first operation; zero: only one */
	size_t begun;      /* operations that were recorded */
};

/*
 * Try everything that can be tried without writing. ERR_ASK: it would succeed,
 * so that a person can be asked (A52).
 */
must_check enum err change_set_check(struct change_set *s);

/* Run the hooks for one of the changes. */
must_check enum err change_set_hooks(struct change_set *s, size_t i,
				     enum hook_when when);

/* Write history and files, and run the after_edit hooks. */
must_check enum err change_set_write(struct change_set *s);

/* The file, with its key, by which rules and history know it. */
must_check enum err change_stat(struct call *c, struct str path,
				struct file_info *ret);

/* Rules and approval, and whether a required hook has lost its trust. */
must_check enum err change_may(struct call *c, struct action_facts *facts,
			       size_t n);

/* Run hooks; @facts needs only what differs between the files of a call. */
must_check enum err change_hooks(struct call *c, enum hook_when when,
				 enum op_kind kind, struct hook_facts facts);

#endif
