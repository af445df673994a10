/*
 * root_check.h - may this directory be a root?
 *
 * A root gives access to everything in it, so wide roots need an explicit
 * choice. On the command line nearly any directory is accepted. The directory
 * stet was started in must not be the home directory, above it, or a kernel file
 * system. A root declared by a client must not be a system directory either.
 * Directories are compared by device and inode, not by name.
 */
#ifndef STET_ROOT_CHECK_H
#define STET_ROOT_CHECK_H

#include "files/own.h"

enum root_source {
	ROOT_NAMED,    /* on the command line */
	ROOT_HERE,     /* current directory, or opened by an editor */
	ROOT_DECLARED, /* by a client */
};

/* Roots that a client may declare. */
enum { ROOT_CHECK_MOST = 64 };

/*
 * NULL = allowed; else the reason, as the end of a sentence. *@ret_real is the
 * resolved path. A directory that does not exist is allowed and has none.
 */
const char *root_check(enum root_source source, struct str dir,
		       const struct own_items *own, struct arena *mem,
		       struct str *ret_real);

#endif
