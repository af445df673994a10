/*
 * method.h - the row of an MCP method, and how a job that needs more than an
 * immediate reply is scheduled and run.
 */
#ifndef STET_METHOD_H
#define STET_METHOD_H

#include "base/err.h"
#include "base/json.h"
#include "rpc/ask.h"

struct job;

/* How the call queue schedules a job beside other calls of its client. */
enum job_schedule {
	JOB_DONE,    /* finished; the reply, if any, is made */
	JOB_READS,   /* to be run, also in parallel with other reads */
	JOB_CHANGES, /* to be run alone among the calls of this client */
};

/* Which eras know a method. */
enum eras { LEGACY = 1, MODERN = 2 };

struct method {
	const char *name;
	unsigned eras;
	bool early; /* allowed before initialize */
	enum job_schedule (*handle)(struct job *);
};

/*
 * How a job is run after its method answered JOB_READS or JOB_CHANGES: tool
 * calls have one of these, an extension may have others.
 */
struct job_handler {
	/* Would run() block, whatever its byte limit? NULL = never. */
	bool (*waits)(const struct job *);
	/*
	 * ERR_LATER: run it again with @byte_limit 0, on a worker; that never
	 * answers ERR_LATER. ERR_ASK: park it. Else the outcome.
	 */
	enum err (*run)(struct job *, uint64_t byte_limit);
	/* Make the reply, from the outcome of run(). */
	void (*answer)(struct job *, enum err outcome);
	/* Release a job that will not be run (again). No reply. */
	void (*drop)(struct job *);
	/*
	 * The answer of a parked job, once the client has sent a well-formed
	 * response to every one of job->ask.inputs.
	 */
	enum ask_answer (*read_answer)(struct job *);
};

/*
 * Methods that a program adds to those of mcp.c, or puts in place of them:
 * server->extension. The product has none; the conformance fixture has its
 * catalog (tests/fixture/catalog).
 */
struct extension {
	/* The row of a request or notification; NULL = none of ours. */
	const struct method *(*method)(struct extension *, struct str name,
				       enum eras era);
	/* The member "capabilities" of initialize and server/discover. */
	void (*put_capabilities)(struct extension *, struct json_out *);
};

#endif
