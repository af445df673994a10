/*
 * owner.h - changes by the person whose files these are.
 *
 * They may take back anything that is theirs: the root that the file was
 * changed in is the root (of those of an older stet, the file's own
 * directory), so that the same door is used as by an agent, no rule is asked,
 * and nothing is changed that the history cannot keep.
 */
#ifndef STET_OWNER_H
#define STET_OWNER_H

#include "tools/undo.h"

struct owner {
	struct workspace *ws;
	bool recreated; /* a root may be another directory than it was */
	struct tool tool;
	struct tool_options options;
	struct caller caller;
	struct call call;
};

#define auto_owner cleanup(owner_end) struct owner

struct owner_options {
	struct store *store;
	struct str tool;   /* what the history calls it: "stet undo" */
	struct str client; /* and who did it */
	struct arena *mem;
	struct fault *fault;
};

/* @o must stay where it is, and be cleared if this is not reached. */
void owner_begin(struct owner *o, const struct owner_options *options);
void owner_end(struct owner *o);

/* Let the call reach the file at @path, which need not be there. */
void owner_reach(struct owner *o, struct str path);

/* undo_operation(), looking again when somebody is faster. */
must_check enum err owner_undo(struct owner *o, const struct op *op,
			       enum conflicts conflicts, struct undone *ret);

/* undo_now() of a file that the history knows; else ERR_NO_OP. */
must_check enum err owner_now(struct owner *o, struct str path,
			      struct side *ret, struct hash *ret_version);

/* undo_restore(), likewise; which root it is in, the history says. */
must_check enum err owner_restore(struct owner *o, struct str path,
				  const struct side *side, struct undone *ret);

/*
 * To redo @op is to undo this one: @op itself when it is an undoing, else
 * what took it back. ERR_NO_UNDO when there is none.
 */
must_check enum err owner_undoing(struct owner *o, const struct op *op,
				  struct op *ret);

/* What @path was at that time, as far as the history goes; ERR_NO_OP. */
must_check enum err owner_at_time(struct owner *o, struct str path,
				  uint64_t time_ms, struct side *ret);

/* And right after @op, be it on this file or on another one. */
must_check enum err owner_at_op(struct owner *o, struct str path,
				const struct op *op, struct side *ret);

#endif
