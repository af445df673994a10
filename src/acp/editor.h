/*
 * editor.h - reading and writing files through the editor of one session.
 *
 * Calls run on worker threads; requests to the editor are sent on the thread of
 * the loop. editor_read() and editor_write() post a request to the loop and
 * block until its response, up to a timeout.
 */
#ifndef STET_EDITOR_H
#define STET_EDITOR_H

#include "acp/jsonrpc.h"
#include "files/workspace.h"

struct editor;

struct editor_options {
	struct loop *loop;
	struct jsonrpc *rpc; /* to the editor */
	struct str session;  /* session id, part of every request (X11) */
	bool reads, writes;  /* capabilities of the editor (A16) */
	uint64_t read_ms, write_ms; /* timeouts; 0 = 5,000 */
};

enum editor_end {
	EDITOR_OK,
	EDITOR_CANNOT,  /* capability missing, or disconnected */
	EDITOR_REFUSED, /* error response; see @why */
	EDITOR_LATE,    /* timeout */
	EDITOR_STOPPED, /* cancelled by struct progress */
};

struct editor *editor_new(const struct editor_options *options);

/* On the loop: all requests, open and future, end with EDITOR_CANNOT. */
void editor_disconnect(struct editor *e);
void editor_free(struct editor *e); /* waiting callers keep a reference */

/* Not on the loop. Reads the whole text; @why is set by EDITOR_REFUSED. */
must_check enum editor_end editor_read(struct editor *e, struct str path,
				       const struct progress *progress,
				       struct arena *mem, struct str *ret,
				       struct str *why);

/*
 * EDITOR_LATE: the request was cancelled ($/cancel_request), but the write may
 * still happen: read again to know (A15).
 */
must_check enum editor_end editor_write(struct editor *e, struct str path,
					struct str text,
					const struct progress *progress,
					struct arena *mem, struct str *why);

/* The current capabilities; any thread. */
bool editor_can_read(const struct editor *e);
bool editor_can_write(const struct editor *e);

#endif
