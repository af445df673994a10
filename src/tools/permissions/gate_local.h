/*
 * gate_local.h - internals shared by gate.c and gate_ask.c.
 */
#ifndef STET_GATE_LOCAL_H
#define STET_GATE_LOCAL_H

#include "tools/permissions/gate.h"

/* Fill in the names and roots by which the rules judge the action. */
void gate_place(struct call *c, struct action *d, struct str path,
		struct str key);

/* gate_is_sensitive() with the settings of this call. */
bool gate_finds_sensitive(const struct call *c, const struct action *action);

/*
 * ERR_OK when the person has allowed the actions; c->question is the question.
 * An answer for some hunks only reduces @facts, if it is one.
 */
must_check enum err gate_ask(struct call *c, struct action_facts *facts,
			     size_t n, struct str reason);

/*
 * A file beneath a directory, by its key. Each has a budget for matching of its
 * own, as one for all would be too small for many files.
 */
void gate_place_beneath(struct call *c, struct str key,
			struct glob_budget *effort, struct action *ret);

#endif
