/*
 * follow.h - where a path leads, one name at a time.
 *
 * The careful way, for paths that go through links, and for kernels without
 * openat2: each name is opened O_PATH|O_NOFOLLOW from the descriptor of the
 * directory before it, and a link's text is followed by the same rules, so
 * that nothing is ever reached but through a root's descriptor. Outside the
 * roots nothing is looked at: from there a path may only lead back into a
 * root, over directories that are known to be above one.
 */
#ifndef STET_FOLLOW_H
#define STET_FOLLOW_H

#include "files/roots.h"

#include <sys/stat.h>

struct place {
	int dir;        /* what holds it; O_PATH or open for reading */
	char *name;     /* in dir, never a link; "" = dir itself */
	struct str key; /* the whole path without links */
	bool exists;
	struct stat st; /* when it exists */
};

#define PLACE_INIT         \
	{                  \
		.dir = -1, \
	}
#define auto_place cleanup(place_drop) struct place

void place_drop(struct place *p);

/*
 * 0 or an errno value: EXDEV = leads out of the roots, ENOENT = not even the
 * directory is there, ELOOP = too many links, or one of /proc's.
 */
must_check int follow(const struct roots *roots, struct str path,
		      struct arena *mem, struct place *ret);

/* The same for a path that has no links: one on the way is ELOOP. */
must_check int follow_no_links(const struct roots *roots, struct str key,
			       struct arena *mem, struct place *ret);

#endif
