/*
 * tree_local.h - internals shared by the files that implement tree_change.h.
 */
#ifndef STET_TREE_LOCAL_H
#define STET_TREE_LOCAL_H

#include "tools/change/change_set.h"
#include "tools/change/tree_change.h"
#include "tools/permissions/gate.h"

/* To be called first: recovery, and ERR_LATER on the loop thread. */
must_check enum err tree_begin(struct call *c);

struct str tree_without_slashes(struct str path);

/* ERR_DENIED if a rule hides @key from the caller; "" is not hidden. */
must_check enum err tree_check_hidden(struct call *c, struct str path,
				      struct str key);

/* Rules and approval, and whether a required hook has lost its trust. */
must_check enum err tree_gate(struct call *c, struct action_facts *facts,
			      size_t n);

/* .ready of a dry run: ERR_ASK = everything else succeeded. */
must_check enum err tree_end_dry_run(void *ctx, struct fault *f);

/*
 * The result of a call about which a person is to be asked, if its dry run
 * returned @e.
 */
must_check enum err tree_rehearsed(struct call *c, enum err e);

void tree_note_record(struct record *r, struct tree_changed *ret);

#endif
