/*
 * method.h - one method of MCP, one row; and what may come of a message.
 */
#ifndef STET_METHOD_H
#define STET_METHOD_H

#include "base/base.h"

struct job;

enum job_next {
	JOB_DONE,    /* the reply is there, if there is one */
	JOB_READS,   /* run it; others that read may run beside it */
	JOB_CHANGES, /* run it when nothing else of this client runs */
	JOB_LISTENS, /* it stays open until the client gives it up */
};

/* Which eras know a method. */
enum eras { LEGACY = 1, MODERN = 2 };

struct method {
	const char *name;
	unsigned eras;
	bool early; /* allowed before initialize */
	enum job_next (*handle)(struct job *);
};

#endif
