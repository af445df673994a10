/*
 * fake_editor.h - an ACP editor for tests, with buffers that it saves to disk.
 *
 * It is connected by a real stream and runs with the loop on its own thread;
 * the test runs on another, as tool calls do. Its settings may be changed while
 * no request is open.
 */
#ifndef STET_FAKE_EDITOR_H
#define STET_FAKE_EDITOR_H

#include "../files/scratch.h"

#include "acp/editor.h"

#include <pthread.h>
#include <stdatomic.h>

struct fake_editor_buffer {
	struct str path, text; /* with LF line endings */
};

enum fake_editor_way {
	FAKE_EDITOR_ANSWERS,
	FAKE_EDITOR_REFUSES,
	FAKE_EDITOR_SILENT,      /* ignores the request */
	FAKE_EDITOR_SILENT_DOES, /* executes the request without a response */
	FAKE_EDITOR_HANGS_UP,
	FAKE_EDITOR_MUMBLES, /* sends an invalid response */
};

struct fake_editor {
	struct scratch s;
	struct loop *loop;
	pthread_t thread;
	struct stream *near, *far;
	struct jsonrpc *here, *there;
	struct editor *editor;

	enum fake_editor_way reads_how, writes_how;
	unsigned silent_write;  /* ignores this one, from 1; 0 = none */
	bool raw;               /* reads and writes bytes unchanged */
	bool unsaved;           /* a write only changes the buffer */
	bool formats;           /* converts four spaces to a tab on save */
	bool loses;             /* always saves as UTF-8 with LF */
	bool makes_any;         /* a missing file reads as empty */
	const char *swaps_link; /* symlink that a read points to "other" */
	const struct encoding *encoding; /* of files; NULL = detected */
	struct fake_editor_buffer buffers[8];
	struct arena mem; /* loop only */

	atomic_uint reads, writes, cancels;
	struct buf asked; /* params of the last request */
};

struct fake_editor_want {
	bool no_reads, no_writes;
	uint64_t read_ms, write_ms; /* 0 = a minute */
};

void fake_editor_open(struct fake_editor *d,
		      const struct fake_editor_want *want);
void fake_editor_close(struct fake_editor *d);

/* Set the text of the buffer of a file ("root/a"), as if typed. */
void fake_editor_type(struct fake_editor *d, const char *name,
		      const char *text);
const char *fake_editor_shows(struct fake_editor *d, const char *name);

/* End the connection on both sides. */
void fake_editor_cut(struct fake_editor *d);

/* Run @fn on the loop and wait for its end. */
void fake_editor_on_loop(struct fake_editor *d,
			 void (*fn)(struct fake_editor *));

#endif
