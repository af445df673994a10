/*
 * undo_local.h - what undo.c and undo_group.c share: the undo of an operation in
 * steps, so that all operations of a group are looked at before anything is
 * written.
 */
#ifndef STET_UNDO_LOCAL_H
#define STET_UNDO_LOCAL_H

#include "tools/history/undo.h"

struct undo_step {
	struct str path;
	const struct op *op; /* that is undone; NULL = none is */
	struct revision r;
	struct snapshot snap;
	bool left;            /* as in struct undone */
	bool writes;          /* @change is to be made */
	struct change change; /* views of the step, which must not move */
	struct undone undone; /* but for what the write returns */
};

/*
 * Compare the file with the operation. A conflict is no failure here:
 * ret->r.how is REVISE_CONFLICT then.
 */
must_check enum err undo_prepare(struct call *c, const struct op *op,
				 enum conflicts conflicts,
				 struct undo_step *ret);

/* Find out what to write; @name is the file's name in the diff. */
void undo_plan(struct call *c, struct undo_step *step, struct str name);

/* Is @op in effect, and its root still the directory that it was? */
must_check enum err undo_check_place(struct call *c, const struct op *op);

/* Is one of the operations a change of names? Then undo_tree() undoes them. */
bool undo_is_tree(const struct undo_group *g);
must_check enum err undo_tree(struct call *c, struct undo_group *g);

#endif
