/*
 * owner.h - undo and restore by the person who owns the files.
 *
 * The person may undo anything. The root of the workspace is the one in which
 * the file was changed (for operations of older versions: the directory of the
 * file). So changes take the same path as those of agents, but no rule applies,
 * and nothing is changed that the history cannot keep.
 */
#ifndef STET_OWNER_H
#define STET_OWNER_H

#include "tools/history/undo.h"

struct owner {
	struct workspace *ws;
	bool recreated; /* --recreated: accept a root that was made anew */
	struct tool tool;
	struct tool_options options;
	struct caller caller;
	struct call call;
};

#define auto_owner cleanup(owner_end) struct owner

struct owner_options {
	struct store *store;
	struct str tool;   /* in the history: "stet undo" */
	struct str client; /* in the history */
	struct arena *mem;
	struct fault *fault;
};

/* @o must not be moved; zero it if this may not be reached. */
void owner_begin(struct owner *o, const struct owner_options *options);
void owner_end(struct owner *o);

/* Set the root so that @path, which need not exist, can be accessed. */
void owner_reach(struct owner *o, struct str path);

/*
 * Undo the group of @op, or with @only that operation alone (undo_group());
 * repeated when a file changes concurrently. @ret->ops is set as soon as it is
 * known, also when the undo fails.
 */
must_check enum err owner_undo(struct owner *o, const struct op *op, bool only,
			       enum conflicts conflicts,
			       struct undo_group *ret);

/* undo_now() for a file that is in the history; else ERR_NO_OP. */
must_check enum err owner_now(struct owner *o, struct str path,
			      struct file_content *ret,
			      struct hash *ret_version);

/* undo_restore(), likewise; the history knows the root. */
must_check enum err owner_restore(struct owner *o, struct str path,
				  const struct file_content *side,
				  struct undone *ret);

/*
 * The operation to undo in order to redo @op: @op itself if it is an undo, else
 * the one that undid it. ERR_NO_UNDO when there is none.
 */
must_check enum err owner_undoing(struct owner *o, const struct op *op,
				  struct op *ret);

/* The content of @path at that time, from the history; ERR_NO_OP. */
must_check enum err owner_at_time(struct owner *o, struct str path,
				  uint64_t time_ms, struct file_content *ret);

/* The content of @path right after @op, which may be on another file. */
must_check enum err owner_at_op(struct owner *o, struct str path,
				const struct op *op, struct file_content *ret);

#endif
