/*
 * desk.h - an editor for tests: at the other end of a real wire, it has
 * buffers, saves them to a real disk and does what editors do.
 *
 * It runs with the loop on a thread of its own; the test is on another, as
 * tool calls are. What is below may be set while nothing is asked.
 */
#ifndef STET_DESK_H
#define STET_DESK_H

#include "../files/scratch.h"

#include "acp/editor.h"

#include <pthread.h>
#include <stdatomic.h>

struct desk_buffer {
	struct str path, text; /* lines end in LF */
};

enum desk_way {
	DESK_ANSWERS,
	DESK_REFUSES,
	DESK_SILENT,      /* does nothing at all */
	DESK_SILENT_DOES, /* does it, and says nothing */
	DESK_HANGS_UP,
	DESK_MUMBLES, /* answers something else */
};

struct desk {
	struct scratch s;
	struct loop *loop;
	pthread_t thread;
	struct stream *near, *far;
	struct wire *here, *there;
	struct editor *editor;

	enum desk_way reads_how, writes_how;
	bool raw;       /* shows the bytes as they are, and writes them so */
	bool unsaved;   /* keeps what is written in a buffer */
	bool formats;   /* makes tabs of four spaces when it saves */
	bool loses;     /* saves as UTF-8 with LF, whatever it was */
	bool makes_any; /* shows a file that is not there as an empty one */
	const struct encoding *encoding; /* of files; NULL = found out */
	struct desk_buffer buffers[8];
	struct arena mem; /* the loop's */

	atomic_uint reads, writes, cancels;
	struct buf asked; /* the last params */
};

struct desk_want {
	bool no_reads, no_writes;
	uint64_t read_ms, write_ms; /* 0 = a minute */
};

void desk_open(struct desk *d, const struct desk_want *want);
void desk_close(struct desk *d);

/* The person types: the buffer of that file ("root/a") has this text now. */
void desk_type(struct desk *d, const char *name, const char *text);
const char *desk_shows(struct desk *d, const char *name);

/* The wire is cut, and everybody knows. */
void desk_cut(struct desk *d);

/* Run @fn on the loop, and wait for it. */
void desk_on_loop(struct desk *d, void (*fn)(struct desk *));

#endif
