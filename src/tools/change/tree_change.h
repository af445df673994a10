/*
 * tree_change.h - the one way in which tools change names: a file, symlink or
 * directory is moved, a directory made or removed.
 *
 * As in change.h a handler says only what is to happen. Rules, for each file
 * beneath a directory as well, the question, before_edit hooks, history, disk,
 * after_edit hooks and the read state are done here. A name is taken for
 * itself: a symlink is moved, not what it leads to.
 */
#ifndef STET_TREE_CHANGE_H
#define STET_TREE_CHANGE_H

#include "base/uuid.h"
#include "tools/call/tool.h"

struct tree_changed {
	struct str key;
	struct uuid op;
	struct str op_text;  /* the (last) operation; "" = not in the history */
	struct str group;    /* of several operations; "" */
	struct str not_kept; /* why it is not in the history; "" */
	struct str hook;     /* failure of an after_edit hook; "" */
	size_t made;         /* directories that were made */
	bool removed;
};

/* ws_lstat(), unless a rule hides the name from the caller. */
must_check enum err tree_look(struct call *c, struct str path,
			      struct node_info *ret);

struct move {
	struct str from, to; /* absolute paths, as the caller gave them */
	struct uuid undoes;  /* the operation that this one undoes */
};

/*
 * Move what has the name @from. Never replaces anything: ERR_EXISTS. What the
 * caller has read counts as read under the new name.
 */
must_check enum err change_move(struct call *c, const struct move *move,
				struct tree_changed *ret);

/* A directory that is to be removed. */
struct dir_removal {
	struct str path;    /* absolute, as the caller gave it */
	struct uuid undoes; /* the operation that this one undoes */
	bool if_empty;      /* one that is not empty, or not there, is left */
};

/*
 * Remove empty directories, of which one may be in another that follows it;
 * ret[n].removed says which were.
 */
must_check enum err change_remove_dirs(struct call *c,
				       const struct dir_removal *dirs, size_t n,
				       struct tree_changed *ret);

/*
 * Remove a symlink, or make one to @target if that is not "". The handler of
 * another tool never makes one: undo does.
 */
struct link_change {
	struct str path;    /* absolute, as the caller gave it */
	struct str target;  /* "" = remove it */
	struct uuid undoes; /* the operation that this one undoes */
};

must_check enum err change_link(struct call *c, const struct link_change *link,
				struct tree_changed *ret);

/*
 * Make a directory, and those above it that are missing; ret->made is 0 if it
 * was there.
 */
must_check enum err change_make_dir(struct call *c, struct str path,
				    struct uuid undoes,
				    struct tree_changed *ret);

#endif
