/*
 * vet.h - may this directory be a root?
 *
 * A root opens all that is in it, so the wider it is, the clearer the person
 * must have said so: on the command line nearly anything goes, the directory
 * that stet was started in must not be home or above it nor the kernel's, and
 * what a client declares must be a place for projects, which the directories of
 * the system are not. Directories count by what they are
 * (device and inode), however they are spelled.
 */
#ifndef STET_VET_H
#define STET_VET_H

#include "files/own.h"

enum vet_source {
	VET_NAMED,    /* by the person, on the command line */
	VET_HERE,     /* where stet was started, or what an editor has open */
	VET_DECLARED, /* by a client */
};

/* Roots that a client may declare. */
enum { VET_MOST_ROOTS = 64 };

/*
 * NULL, or why not, as the end of a sentence. *@ret_real is the directory
 * without links. One that is not there is fine, and has no such name.
 */
const char *vet_root(enum vet_source source, struct str dir,
		     const struct own_items *own, struct arena *mem,
		     struct str *ret_real);

#endif
