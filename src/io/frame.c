/*
 * frame.c - split a stream of bytes into lines of bounded length.
 *
 * A line that is too long is skipped without being kept; a long line that
 * begins at the start of the buffer is handed over without a copy.
 */
#include "io/frame.h"

#include "base/fd.h"

enum {
	READ_SIZE = 64 * 1024,
	READ_LARGE = 1024 * 1024, /* when a line is long */
	SWAP_SIZE = 256 * 1024,   /* longer lines are handed over, not copied */
	KEEP_SIZE = 256 * 1024,
};

static size_t frame_pending(const struct frame *f)
{
	return f->in.len - f->start;
}

/* Drop the lines that were given out. */
static void frame_compact(struct frame *f)
{
	if (!f->start)
		return;
	buf_drop(&f->in, f->start);
	f->scanned -= f->start;
	f->start = 0;
}

void frame_add(struct frame *f, struct str bytes)
{
	frame_compact(f);
	buf_add(&f->in, bytes);
}

long frame_fill(struct frame *f, int fd)
{
	size_t want = frame_pending(f) > READ_SIZE ? READ_LARGE : READ_SIZE;
	ssize_t got;
	char *to;

	frame_compact(f);
	to = buf_room(&f->in, want);
	if (!to)
		return -1;
	got = fd_read(fd, to, want);
	if (got > 0)
		f->in.len += (size_t)got;
	return got;
}

/* Drop everything before @to; when nothing is left, shrink the buffer. */
static void frame_consume(struct frame *f, size_t to)
{
	f->start = f->scanned = to;
	if (to < f->in.len)
		return;
	buf_clear(&f->in, KEEP_SIZE);
	f->start = f->scanned = 0;
}

/* Move the line in.ptr[start..end) to @to. */
static void frame_give(struct frame *f, size_t end, struct buf *to)
{
	struct str rest = str_skip(buf_str(&f->in), end + 1);
	struct buf whole = f->in;

	if (f->start || end < SWAP_SIZE) {
		buf_add(to, str_sub(buf_str(&f->in), f->start, end));
		frame_consume(f, size_min(end + 1, f->in.len));
		return;
	}
	buf_free(to);
	f->in = (struct buf)BUF_INIT;
	buf_add(&f->in, rest);
	whole.len = end;
	*to = whole;
	f->start = f->scanned = 0;
}

enum frame_got frame_next(struct frame *f, struct buf *to)
{
	size_t from = size_max(f->start, f->scanned);
	struct str unseen = str_skip(buf_str(&f->in), from);
	size_t end = from + str_find(unseen, '\n');
	bool found = end < f->in.len;

	f->scanned = f->in.len;
	if (f->skipping || end - f->start > f->max) {
		f->skipping = !found;
		frame_consume(f, found ? end + 1 : f->in.len);
		return found ? FRAME_TOO_LONG : FRAME_NONE;
	}
	if (!found)
		return FRAME_NONE;
	frame_give(f, end, to);
	return FRAME_LINE;
}

enum frame_got frame_last(struct frame *f, struct buf *to)
{
	if (f->skipping) {
		f->skipping = false;
		return FRAME_TOO_LONG;
	}
	if (!frame_pending(f))
		return FRAME_NONE;
	frame_give(f, f->in.len, to);
	return FRAME_LINE;
}

void frame_free(struct frame *f)
{
	buf_free(&f->in);
}
