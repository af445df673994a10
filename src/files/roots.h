/*
 * roots.h - the directories that we may work in.
 *
 * A set is made once and never changes; whoever uses it holds a reference,
 * so that a new set can take its place while calls still run on the old one.
 */
#ifndef STET_ROOTS_H
#define STET_ROOTS_H

#include "base/arena.h"

#include <stdatomic.h>

struct root {
	int fd;           /* O_PATH */
	struct str given; /* as it was named; "" when that has a ".." */
	struct str real;  /* without links */
	const char *path; /* the same, for the kernel */
	uint64_t dev, ino;
	bool gone;        /* nothing has its name now: as if it were empty */
	bool has_devices; /* it may: so look before opening */
	bool replaced; /* another directory has its name since it was named */
};

/* stet's own files and, once they are looked for, their names here: own.h. */
struct own_cache {
	const struct own_items *_Atomic items; /* NULL = none */
	struct own_view *_Atomic view;
};

struct roots {
	atomic_uint refs;
	struct arena mem;
	struct str advice; /* what to tell whoever finds no root at all */
	size_t n;
	struct root *root;
	struct own_cache *own;
};

#define auto_roots cleanup(roots_dropp) struct roots

/* Those of @dirs that can be opened. */
struct roots *roots_open(const struct str *dirs, size_t n, struct str advice);
struct roots *roots_ref(struct roots *r);

/*
 * NULL when each root is still what has its name. Else a set like @r, in which
 * those that were deleted or moved, and made anew under the same name, are
 * opened anew. Only a real directory counts: where there is none, or a link
 * stands on the way now, the root is gone until there is one.
 */
struct roots *roots_renewed(const struct roots *r);
void roots_drop(struct roots *r); /* NULL is fine */
void roots_dropp(struct roots **r);

/*
 * The root that @path names itself or something beneath, by the longest of
 * their names; NULL when there is none. *@rest is what follows.
 */
const struct root *roots_find(const struct roots *r, struct str path,
			      struct str *rest);

/* The same for a path without links: only the real names of roots count. */
const struct root *roots_find_key(const struct roots *r, struct str key,
				  struct str *rest);

/* Does the root's name still lead to the directory that was opened? */
bool root_is_named(const struct root *root);

#endif
