/*
 * frame.h - from a stream of bytes to lines.
 */
#ifndef STET_FRAME_H
#define STET_FRAME_H

#include "base/buf.h"

struct frame {
	struct buf in;
	size_t start;   /* of what has not been given out */
	size_t scanned; /* no end of line before this */
	size_t max;     /* of one line */
	bool skipping;  /* in a line that is too long */
};

enum frame_got {
	FRAME_NONE,     /* no whole line yet */
	FRAME_LINE,     /* one, in @to */
	FRAME_TOO_LONG, /* one that was longer than max; it is gone */
};

/* Read some bytes: more than 0, 0 at the end, or -1 with errno. */
must_check long frame_fill(struct frame *f, int fd);

/* Or take bytes that somebody else has read. */
void frame_add(struct frame *f, struct str bytes);

/* Take the next line, without its end, into @to, which is empty. */
enum frame_got frame_next(struct frame *f, struct buf *to);

/* At the end of the stream: what is left counts as a line. */
enum frame_got frame_last(struct frame *f, struct buf *to);

void frame_free(struct frame *f);

#endif
