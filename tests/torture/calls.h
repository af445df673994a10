/*
 * calls.h - system calls that fail, or are the last, when a test says so.
 *
 * The program is linked with --wrap for each call of calls.def; a countdown
 * says which one is hit. A write that is hit has done half of its work.
 * With for_good all later calls that change something fail like that one, as
 * on a disk that is full, broken, or read-only from then on.
 */
#ifndef STET_CALLS_H
#define STET_CALLS_H

#include "base/base.h"

enum hit {
	HIT_FAILS,   /* with hit_errno */
	HIT_KILLS,   /* the process is gone */
	HIT_MEDDLES, /* somebody else does something first: meddle() */
};

struct calls {
	long countdown; /* calls until the hit; -1 = never */
	enum hit hit;
	int error;
	bool was_hit;
	bool for_good;    /* after the hit nothing can be written any more */
	int always;       /* every call that would write fails with this */
	int rename_error; /* what renameat2 always says; 0 = the truth */
	int linkat_error; /* what linkat says of a bare descriptor */
	int beside_error; /* what making a neighbour always says */
	long fsyncs;      /* how many there were */
	long bad_fsync;   /* which of them, from 1, fails with EIO */
	int flock_error;  /* what flock says of files beneath "root" */
	long names_asked; /* how often the kernel was asked for a name ... */
	long names_asked_at_hit;       /* ... and before the hit */
	void (*before_exchange)(void); /* somebody else, once */
	void (*after_exchange)(void);
	void (*meddle)(void);
};

extern struct calls calls;

#endif
