/*
 * undo.h - undo, redo, replay and restore of operations.
 *
 * Shared by the tool undo_file_change, the commands and the page. Every change
 * goes through change_file(), so it obeys the rules of the caller and is itself
 * an operation that can be undone.
 */
#ifndef STET_UNDO_H
#define STET_UNDO_H

#include "tools/change/change.h"
#include "tools/change/describe.h"
#include "tools/history/operations.h"
#include "tools/history/revise.h"

/*
 * Dry run: with c->preview nothing is written. Each result is kept here and is
 * the content that the next operation on that file starts from, so that a
 * sequence of operations can be previewed.
 */
struct undo_preview {
	struct undo_preview_file {
		struct str path;
		struct file_content now, result;
	} * files;
	size_t n;
};

/* if_version that expects the file not to exist. */
#define UNDO_NO_FILE "none"

struct undone {
	enum revise_how how;
	size_t conflicts; /* resolved ones */
	bool created, removed;
	bool left; /* a copy that was changed since: it stays as it is */
	struct changed changed; /* unless REVISE_ALREADY */
	struct str diff;        /* of the change; "" if binary */
};

/*
 * Undo @op. ERR_OTHER_PLACE when its path leads to another file now, or its
 * root is another directory: nothing is written. ERR_UNDO_CONFLICT when the file
 * has changed since in the same place and @conflicts is CONFLICTS_ABORT: nothing
 * is changed, and the fault lists the places.
 */
must_check enum err undo_operation(struct call *c, const struct op *op,
				   enum conflicts conflicts,
				   struct undone *ret);

/*
 * Operations of one call that are undone together: all files or none.
 */
struct undo_group {
	struct op *ops; /* in their order; each path is where the file is now */
	size_t n;
	size_t rest; /* of the same call, in effect, and not among them */
	struct undone *undone; /* results, @n of them */
};

/*
 * The group of @op, as far as it is in effect; only @op with @only, or when it
 * cannot be undone. A file that stet has moved since the operation is followed
 * to where it is now.
 */
must_check enum err undo_group_find(struct store *s, const struct op *op,
				    bool only, struct arena *mem,
				    struct undo_group *ret, struct fault *f);

/*
 * Undo all of them as one change, as undo_operation() does it for one. With
 * ERR_UNDO_CONFLICT the fault lists the conflicts of all files.
 */
must_check enum err undo_group(struct call *c, struct undo_group *g,
			       enum conflicts conflicts);

/*
 * The present content of the file of @last, with the same checks:
 * ERR_OTHER_PLACE when its path leads to another file.
 */
must_check enum err undo_now(struct call *c, const struct op *last,
			     struct file_content *ret,
			     struct hash *ret_version);

/* Apply the changes of @ops, in their order, to @path as one change. */
must_check enum err undo_replay(struct call *c, const struct op *ops, size_t n,
				struct str path, enum conflicts conflicts,
				struct undone *ret);

/* The content of its file right after @op. */
must_check enum err undo_content(struct call *c, const struct op *op,
				 struct file_content *ret);

/*
 * The unified diff of @op, with @name as file name; for an append, what was
 * added. *@ret describes what no line shows. A binary side has no lines; if the
 * new side is binary there is no diff.
 */
must_check enum err undo_diff(struct store *s, const struct op *op,
			      struct str name, struct arena *mem,
			      struct buf *out, struct description *ret,
			      struct fault *f);

/* Lines that @op added and removed; *@text is false if a side is binary. */
must_check enum err undo_lines(struct store *s, const struct op *op,
			       struct arena *mem, size_t *ret_added,
			       size_t *ret_removed, bool *text,
			       struct fault *f);

/*
 * Give @path the state @side, whatever it is now; ERR_OTHER_PLACE as above.
 * @last is an operation on the file, for its root, or NULL.
 */
must_check enum err undo_restore(struct call *c, struct str path,
				 const struct op *last,
				 const struct file_content *side,
				 struct undone *ret);

#endif
