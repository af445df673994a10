/*
 * editor.h - the files of one session as the editor has them.
 *
 * Calls run on threads of a pool; the editor is asked on the loop's thread.
 * editor_read() and editor_write() carry a question over and wait for its
 * answer, up to a deadline.
 */
#ifndef STET_EDITOR_H
#define STET_EDITOR_H

#include "files/workspace.h"
#include "io/wire.h"

struct editor;

struct editor_options {
	struct loop *loop;
	struct wire *wire;          /* to the editor */
	struct str session;         /* its id: goes into every question (X11) */
	bool reads, writes;         /* what the editor said it can do (A16) */
	uint64_t read_ms, write_ms; /* how long is waited: 5,000 each */
};

enum editor_end {
	EDITOR_OK,
	EDITOR_CANNOT,  /* no such capability, or it is gone */
	EDITOR_REFUSED, /* it answered with an error: @why */
	EDITOR_LATE,
	EDITOR_STOPPED, /* the errand said so */
};

struct editor *editor_new(const struct editor_options *options);

/* On the loop's thread: from now on every answer is EDITOR_CANNOT. */
void editor_cut(struct editor *e);
void editor_free(struct editor *e); /* when nobody waits any more */

/* Not on the loop's thread. The whole text; @why is set when refused. */
must_check enum editor_end editor_read(struct editor *e, struct str path,
				       const struct errand *errand,
				       struct arena *mem, struct str *ret,
				       struct str *why);

/*
 * EDITOR_LATE: it may still happen; the question has been taken back
 * ($/cancel_request), and whoever asks reads again to know (A15).
 */
must_check enum editor_end editor_write(struct editor *e, struct str path,
					struct str text,
					const struct errand *errand,
					struct arena *mem, struct str *why);

/* Could there be an answer at all? Any thread. */
bool editor_can_read(const struct editor *e);
bool editor_can_write(const struct editor *e);

#endif
