/*
 * own.h - stet's own files, which no tool may read, change or create.
 *
 * Settings, state, tokens, records, hooks and the program itself are given to
 * the workspace as paths (ws_local_own()). They are recognised by identity, not
 * by spelling: the symlinks of each path are resolved, and the device and inode
 * of every directory above it are compared with those of the roots and of the
 * mounts in them. A match means that the item lies within that root under a
 * known name; from then on a call costs a case-insensitive comparison of names.
 * A file with several hard links is compared by inode as well, and refused when
 * one of our directories cannot be read.
 *
 * The names are computed at the first use of a set of roots, and again after
 * mounts have changed: own_mounts_check().
 */
#ifndef STET_OWN_H
#define STET_OWN_H

#include "base/err.h"
#include "files/roots.h"

#include <sys/stat.h>

struct own_item {
	struct str path; /* absolute; need not exist */
	bool tree;       /* a directory with everything below it */
	bool secret;     /* its files have no mode bits for group and others */
};

struct own_items {
	const struct own_item *item;
	size_t n;
};

struct own_view; /* the names of the items within one set of roots */

void own_view_free(struct own_view *v); /* NULL is fine */

/*
 * Open /proc/self/mountinfo and keep it open, as a confined process cannot open
 * it any more. It is read again for each set of roots.
 */
void own_open_mounts(void);

/*
 * Note a change of the mounts. To be called after a file was resolved, before
 * own_covers(), unless RESOLVE_NO_XDEV ruled out that a mount was crossed.
 */
void own_mounts_check(void);

/*
 * Is the file with that key one of stet's own files or in one of its own
 * directories, or is @st a hard link to one? @st is NULL if nothing is there.
 */
bool own_covers(const struct roots *roots, struct str key,
		const struct stat *st);

/*
 * May one of stet's own files be in the directory with that key, or below? If
 * not, own_covers() is false for every name there, hard links apart.
 */
bool own_is_near(const struct roots *roots, struct str key);

struct own_inodes; /* the inodes of all own files at one moment */

/*
 * Is @st, a file with several hard links, one of stet's own? For many files in a
 * row: *@kept, NULL at first, is made at the first use and renewed when it is
 * old. To be freed; not thread-safe.
 */
bool own_has_inode(const struct roots *roots, struct own_inodes **kept,
		   const struct stat *st);
void own_inodes_free(struct own_inodes *s); /* NULL is fine */

/* The fault of an access to one of them. */
enum err own_refused(struct str path, struct fault *f);

/* Is the existing directory @real (without symlinks) an own one, or in one? */
bool own_is_inside(const struct own_items *items, struct str real);

/* Is an own directory in @real, or would it be if created? */
bool own_has_above(const struct own_items *items, struct str real);

/* Is @dir, which need not exist, @real or below it, by inode or name? */
bool own_is_above(struct str real, struct str dir);

#endif
