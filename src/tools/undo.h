/*
 * undo.h - taking operations back, and making them again.
 *
 * What the agent's tool and the person's commands share. Every change goes
 * through change_file(), so that it obeys the rules of the caller, and is an
 * operation itself, which can be undone.
 */
#ifndef STET_UNDO_H
#define STET_UNDO_H

#include "tools/change.h"
#include "tools/describe.h"
#include "tools/operations.h"
#include "tools/revise.h"

/*
 * With c->preview nothing is written: each result is kept here, and is what
 * the next operation on that file finds. So operations that follow each other
 * can be looked at before they are undone.
 */
struct preview {
	struct preview_file {
		struct str path;
		struct side now, result;
	} * files;
	size_t n;
};

/* As the version that is expected: that there is no file. */
#define UNDO_NO_FILE "none"

struct undone {
	enum revise_how how;
	size_t conflicts; /* that were settled as was asked */
	bool created, removed;
	struct changed changed; /* unless it was so already */
	struct str diff;        /* of what that did; "" when it is no text */
};

/*
 * Take @op back. ERR_OTHER_PLACE when its path leads to another file now, or
 * its root is another directory; nothing is written then, least of all
 * outside of the root. ERR_UNDO_CONFLICT when the file has changed since in the
 * same place and @conflicts does not say what to do: nothing is changed, and
 * the fault says where.
 */
must_check enum err undo_operation(struct call *c, const struct op *op,
				   enum conflicts conflicts,
				   struct undone *ret);

/*
 * The file of @last as it is now, through the same checks: ERR_OTHER_PLACE
 * when its path leads to another file.
 */
must_check enum err undo_now(struct call *c, const struct op *last,
			     struct side *ret, struct hash *ret_version);

/* Make the changes of @ops, in their order and as one, in the file @path. */
must_check enum err undo_replay(struct call *c, const struct op *ops, size_t n,
				struct str path, enum conflicts conflicts,
				struct undone *ret);

/* What @path held right after @op, which was on that file. */
must_check enum err undo_content(struct call *c, const struct op *op,
				 struct side *ret);

/*
 * What @op changed as a unified diff, with the file called @name: of an
 * append, what was added. *@ret says what no line of it shows. Of a side that
 * is no text there are no lines; when it is the new one, there is no diff.
 */
must_check enum err undo_diff(struct store *s, const struct op *op,
			      struct str name, struct arena *mem,
			      struct buf *out, struct description *ret,
			      struct fault *f);

/* How many lines @op added and removed; *@text false: one side is no text. */
must_check enum err undo_lines(struct store *s, const struct op *op,
			       struct arena *mem, size_t *ret_added,
			       size_t *ret_removed, bool *text,
			       struct fault *f);

/*
 * Make @path what @side is, whatever it is now; ERR_OTHER_PLACE as above.
 * @last is an operation on it that says which root it is in, or NULL.
 */
must_check enum err undo_restore(struct call *c, struct str path,
				 const struct op *last, const struct side *side,
				 struct undone *ret);

#endif
