/*
 * own.h - stet's own files, which no tool may read, change or make.
 *
 * Settings, state, tokens, records, hooks and the program itself are told to
 * the workspace as paths (ws_local_own). They are recognised by what they are,
 * not by how somebody spells them: each is traced through its links down to
 * where it is or would be, and the device and inode of every directory on the
 * way are compared with those of the roots and of what is mounted in them.
 * Where one of them is the same, the item lies beneath that root, and its name
 * there is known; from then on a call costs a comparison of names, without
 * regard to case. A file with several names (hard links) is compared by its
 * inode as well, and refused where a directory of ours cannot be looked into.
 *
 * The names are worked out at the first use of a set of roots, and again when
 * mounts have changed since: own_mounts_look().
 */
#ifndef STET_OWN_H
#define STET_OWN_H

#include "base/err.h"
#include "files/roots.h"

#include <sys/stat.h>

struct own_item {
	struct str path; /* absolute; nothing need be there yet */
	bool tree;       /* a directory with all that is in it */
	bool secret;     /* whose files have no mode bits for others */
};

struct own_items {
	const struct own_item *item;
	size_t n;
};

struct own_view; /* the names that the items have beneath one set of roots */

void own_view_free(struct own_view *v); /* NULL is fine */

/*
 * Open the kernel's list of mounts and keep it open, as a confined process
 * cannot open it any more. It is read anew for each set of roots.
 */
void own_open_mounts(void);

/*
 * Have mounts changed? To be called before own_covers() and after the file was
 * found, unless the kernel has crossed no mount on the way (RESOLVE_NO_XDEV).
 */
void own_mounts_look(void);

/*
 * Is @key (absolute, without links) a file of ours or in a directory of ours,
 * or is @st one of our files under another name? NULL = nothing is there.
 */
bool own_covers(const struct roots *roots, struct str key,
		const struct stat *st);

/* The fault for that. */
enum err own_refused(struct str path, struct fault *f);

/* Is the directory @real (there, without links) one of ours, or in one? */
bool own_is_inside(const struct own_items *items, struct str real);

/* Is one of ours in it, or would it be? */
bool own_has_above(const struct own_items *items, struct str real);

/* Is @dir (which need not be there) @real or beneath it, by inode or name? */
bool own_is_above(struct str real, struct str dir);

#endif
