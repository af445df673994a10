/*
 * roots.h - the directories that clients may work in.
 *
 * A set of roots never changes after roots_open(). Each user holds a reference,
 * so that a new set can take its place while calls still use the old one.
 */
#ifndef STET_ROOTS_H
#define STET_ROOTS_H

#include "base/arena.h"

#include <stdatomic.h>

struct root {
	int fd;           /* O_PATH */
	struct str given; /* path as configured; "" if it contains ".." */
	struct str real;  /* path without symlinks */
	const char *path; /* the same, NUL-terminated */
	uint64_t dev, ino;
	bool gone;        /* its path does not exist now: treated as empty */
	bool has_devices; /* may contain device nodes: check before opening */
	bool replaced;    /* recreated since it was configured */
};

/* stet's own files, and a cache of their names in these roots: own.h. */
struct own_cache {
	const struct own_items *_Atomic items; /* NULL = none */
	struct own_view *_Atomic view;
};

struct roots {
	atomic_uint refs;
	struct arena mem;
	struct str advice; /* hint of the fault when there is no root */
	size_t n;
	struct root *root;
	struct own_cache *own;
};

#define auto_roots cleanup(roots_dropp) struct roots

/* A set of those of @dirs that can be opened. */
struct roots *roots_open(const struct str *dirs, size_t n, struct str advice);
struct roots *roots_ref(struct roots *r);

/*
 * NULL when the path of each root still leads to it. Else a new set, in which
 * roots that were deleted or moved and then recreated are opened again. A root
 * whose path does not exist, or leads through a symlink now, is gone until
 * there is a directory again.
 */
struct roots *roots_renewed(const struct roots *r);
void roots_drop(struct roots *r); /* NULL is fine */
void roots_dropp(struct roots **r);

/*
 * The root that contains @path, by the longest matching path; NULL when there
 * is none. *@rest is the path below the root.
 */
const struct root *roots_find(const struct roots *r, struct str path,
			      struct str *rest);

/* The same for a key: only paths without symlinks are compared. */
const struct root *roots_find_key(const struct roots *r, struct str key,
				  struct str *rest);

/* Does the root's path still lead to the directory that was opened? */
bool root_is_named(const struct root *root);

#endif
