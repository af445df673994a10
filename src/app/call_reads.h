/*
 * call_reads.h - what `stet call --session NAME` has read, between calls.
 *
 * Each call is a process of its own, and some tools change only what their
 * caller has read. The versions that a named session has seen are kept in a
 * file of the state directory, for the latest files alone: one that was
 * forgotten has to be read again, which loses nothing.
 */
#ifndef STET_CALL_READS_H
#define STET_CALL_READS_H

#include "base/err.h"
#include "tools/readstate.h"

struct call_reads {
	struct str dir;     /* the state directory */
	struct str session; /* its name */
	struct readstate *reads;
	struct arena *mem;
};

/* Letters, digits, '.', '_' and '-', 64 at most. */
must_check bool call_reads_name_ok(struct str name);

/* What the session has read so far goes into @r->reads. */
must_check enum err call_reads_load(const struct call_reads *r,
				    struct fault *f);

/* The call has dealt with @key, a path without links: keep what is known. */
must_check enum err call_reads_save(const struct call_reads *r, struct str key,
				    struct fault *f);

#endif
