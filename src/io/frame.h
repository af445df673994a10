/*
 * frame.h - split a stream of bytes into lines.
 */
#ifndef STET_FRAME_H
#define STET_FRAME_H

#include "base/buf.h"

struct frame {
	struct buf in;
	size_t start;   /* offset of the next line */
	size_t scanned; /* offset up to which there is no newline */
	size_t max;     /* bytes of one line */
	bool skipping;  /* in a line that is too long, up to its end */
};

enum frame_got {
	FRAME_NONE,     /* no complete line yet */
	FRAME_LINE,     /* the next line is in @to */
	FRAME_TOO_LONG, /* a line longer than max was skipped */
};

/* Read some bytes: more than 0, 0 at the end, or -1 with errno. */
must_check long frame_fill(struct frame *f, int fd);

/* Add bytes that the caller has read. */
void frame_add(struct frame *f, struct str bytes);

/* Move the next line, without its newline, to @to, which is empty. */
enum frame_got frame_next(struct frame *f, struct buf *to);

/* At the end of the stream: the rest counts as a line. */
enum frame_got frame_last(struct frame *f, struct buf *to);

void frame_free(struct frame *f);

#endif
