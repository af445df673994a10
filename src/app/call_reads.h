/*
 * call_reads.h - versions that `stet call --session NAME` has read.
 *
 * Each `stet call` is a separate process, and some tools change only files that
 * their caller has read. The versions that a named session has read are stored
 * in a file of the state directory, for a limited number of recent files: a
 * file that was evicted must be read again.
 */
#ifndef STET_CALL_READS_H
#define STET_CALL_READS_H

#include "base/err.h"
#include "tools/reading/readstate.h"

struct call_reads {
	struct str dir;     /* the state directory */
	struct str session; /* name given with --session */
	struct readstate *reads;
	struct arena *mem;
};

/* Letters, digits, '.', '_' and '-', 64 at most. */
must_check bool call_reads_name_ok(struct str name);

/* Loads the session's versions into @r->reads. */
must_check enum err call_reads_load(const struct call_reads *r,
				    struct fault *f);

/* Stores the version of @key, a path without symlinks, after a call. */
must_check enum err call_reads_save(const struct call_reads *r, struct str key,
				    struct fault *f);

#endif
