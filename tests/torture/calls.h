/*
 * calls.h - fault injection: the nth system call fails or kills the process.
 *
 * The program is linked with --wrap for each call of calls.def; a countdown
 * selects the call that is hit. A write that is hit writes half of its bytes.
 * With for_good all later calls that change something fail with the same error,
 * as on a disk that is full, broken, or read-only from then on.
 */
#ifndef STET_CALLS_H
#define STET_CALLS_H

#include "base/base.h"

enum hit {
	HIT_FAILS,   /* the call fails with hit_errno */
	HIT_KILLS,   /* the process ends at the call */
	HIT_MEDDLES, /* meddle() changes the tree before the call */
};

struct calls {
	long countdown; /* calls until the hit; -1 = never */
	enum hit hit;
	int error;
	bool was_hit;
	bool for_good;    /* all calls after the hit that write fail */
	int always;       /* errno of every call that writes; 0 = none */
	int rename_error; /* errno of every renameat2; 0 = real result */
	int linkat_error; /* errno of linkat by descriptor */
	int beside_error; /* errno of creating a temporary file */
	long fsyncs;      /* number of fsync calls so far */
	long bad_fsync;   /* number of the fsync that fails with EIO */
	int flock_error;  /* errno of flock beneath "root" */
	long names_asked; /* readlinkat calls so far (names of descriptors) */
	long names_asked_at_hit;       /* the same, at the hit */
	void (*before_exchange)(void); /* called once, before a rename */
	void (*after_exchange)(void);
	void (*meddle)(void);
	long renames;        /* renameat2 calls so far */
	uint64_t locked[64]; /* offsets of the private locks, in their order */
	size_t locks;        /* that were taken so far */
};

extern struct calls calls;

#endif
