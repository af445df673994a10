/*
 * decoded.c - decodes a large file block by block, for its index or a page.
 *
 * Reads through a struct byte_source (text/), which calls decoded_read() for
 * bytes; a failure or a truncated file is kept in struct decoded and ends the
 * pass.
 */
#include "files/decoded.h"

#include "base/fd.h"
#include "files/content.h"
#include "text/lines/lines.h"

#include <errno.h>

enum { MAX_TRIES = 4 };

static struct str decoded_read(void *ctx, uint64_t at)
{
	struct decoded *d = ctx;
	size_t want = size_min(d->bytes.size - at, d->block);
	ssize_t got;

	if (!d->failed)
		d->failed = progress_check(d->progress,
					   d->total ? at - d->begin : 0,
					   d->total, d->f);
	if (d->failed || d->truncated)
		return STR("");
	got = fd_pread(d->fd, d->raw, want, (off_t)at);
	if (got < 0)
		d->failed = fail_os(d->f, errno, STR(""));
	d->truncated = got >= 0 && (size_t)got < want;
	if (d->failed || d->truncated)
		return STR("");
	return str_make(d->raw, want);
}

static void decoded_start(struct decoded *d, uint64_t size)
{
	d->bytes = (struct byte_source){ .size = size,
					 .from = decoded_read,
					 .ctx = d };
	d->begin = d->total = 0;
	d->failed = ERR_OK;
	d->truncated = false;
	if (d->raw)
		return;
	d->raw = arena_alloc(d->mem, d->block);
	d->text = arena_alloc(d->mem, decoding_room(d->block));
}

static void index_pieces(struct decoded *d, struct lineindex *x)
{
	const struct encoding *e = x->in.encoding;
	struct byte_reader p = { .of = &d->bytes, .at = e->bom.len };
	struct decoding now = { .e = e };
	struct hash_stream *hash = hash_start();
	bool open = false;

	d->total = d->bytes.size;
	hash_add(hash, e->bom);
	for (size_t used = 0; byte_reader_next(&p, used); x->n++) {
		struct str text = { d->text, 0 };
		unsigned shift = now.shift;

		text.len = decoding_more(&now, &p, d->text, &used);
		hash_add(hash, str_head(p.piece, used));
		x->marks[x->n] = (struct lineindex_mark){ p.at, shift };
		x->newline[x->n] = (uint32_t)lines_newlines(text);
		x->newlines += x->newline[x->n];
		open = text.len ? text.ptr[text.len - 1] != '\n' : open;
	}
	x->marks[x->n] = (struct lineindex_mark){ .at = p.at };
	x->lines = x->newlines + open;
	x->undecodable = now.undecodable;
	x->version = hash_end(hash);
}

/* *ret is to be dropped even on failure. */
static enum err index_once(struct decoded *d, const struct stat *st,
			   const struct encoding *named, struct lineindex **ret)
{
	size_t least =
		d->block - BYTE_SOURCE_MIN_PIECE + 1; /* progress of a piece */
	struct lineindex *x =
		lineindex_new(st, (size_t)st->st_size / least + 1, true);
	enum err e;

	*ret = x;
	decoded_start(d, x->stat.size);
	x->n = 0;
	x->named = named;
	e = encoding_detect_in(&d->bytes, named, &x->in);
	if (!e && !d->failed && !d->truncated)
		index_pieces(d, x);
	if (d->failed || d->truncated)
		return d->failed;
	return e ? fail(d->f, e, .path = STR("")) : ERR_OK;
}

enum err decoded_index(struct decoded *d, struct stat *st,
		       const struct encoding *named, struct lineindex **ret)
{
	for (int i = 0; i < MAX_TRIES; i++) {
		auto_lineindex *x = NULL;
		enum err e = index_once(d, st, named, &x);
		struct stat_data now;

		if (d->failed)
			return e;
		if (fstat(d->fd, st))
			return fail_os(d->f, errno, STR(""));
		now = stat_data_of(st);
		/* The last try accepts a file that never stops growing. */
		if (d->truncated ||
		    (i < MAX_TRIES - 1 && !stat_data_eq(&x->stat, &now)))
			continue;
		if (e)
			return e;
		*ret = x;
		x = NULL;
		return ERR_OK;
	}
	return fail_os(d->f, EBUSY, STR(""));
}

/* A position in the decoded text, from some line on. */
struct decoded_cursor {
	struct decoded *d;
	struct byte_reader p;
	struct decoding now;
	size_t used; /* bytes of the current piece */
	size_t skip; /* lines of the first piece before the wanted one */
};

static struct decoded_cursor cursor_at(struct decoded *d,
				       const struct lineindex *x, size_t line)
{
	size_t before = 0, i = 0;

	if (line > 1)
		i = lineindex_block(x, line - 1, &before);
	decoded_start(d, x->stat.size);
	d->begin = x->marks[i].at;
	return (struct decoded_cursor){
		.d = d,
		.p = { .of = &d->bytes, .at = x->marks[i].at },
		.now = { .e = x->in.encoding, .shift = x->marks[i].shift },
		.skip = line - 1 - before,
	};
}

static enum err decoded_stale(struct decoded *d)
{
	return fail_os(d->f, ESTALE, STR(""));
}

/* The next decoded text, at most @lines; *@ret_end: it was the last. */
static enum err cursor_next(struct decoded_cursor *r, size_t lines,
			    struct str *ret, bool *ret_end)
{
	struct decoded *d = r->d;
	struct str text;

	if (!byte_reader_next(&r->p, r->used))
		return d->failed ? d->failed : decoded_stale(d);
	text = str_make(d->text,
			decoding_more(&r->now, &r->p, d->text, &r->used));
	if (r->skip && lines_newlines(text) < r->skip)
		return decoded_stale(d);
	text = str_skip(text, lines_after(text, r->skip));
	r->skip = 0;
	*ret = str_head(text, lines_after(text, lines));
	*ret_end = r->p.last;
	return ERR_OK;
}

static enum err line_too_long(struct decoded *d, const struct lineindex *x,
			      const struct page_want *want)
{
	struct decoded_cursor r = cursor_at(d, x, want->line);
	bool end = false;
	uint64_t bytes = 0;

	while (!end) {
		struct str text = STR("");
		enum err e = cursor_next(&r, 1, &text, &end);

		if (e)
			return e;
		bytes += text.len;
		end = end || str_ends(text, STR("\n"));
	}
	return fail(d->f, ERR_LINE_TOO_LONG, .path = STR(""),
		    .number = (int64_t)want->line, .bytes = bytes,
		    .limit = want->max_cost);
}

/* Upper bound of the bytes in the file from @from to the line @last. */
static uint64_t byte_span(const struct lineindex *x, uint64_t from, size_t last)
{
	size_t before, i = x->n - 1;

	if (last <= x->newlines)
		i = lineindex_block(x, last, &before);
	return x->marks[i + 1].at - from;
}

/* The offset after the last newline in @s; 0 when there is none. */
static size_t last_end(struct str s)
{
	size_t newline = str_rfind(s, '\n');

	return newline < s.len ? newline + 1 : 0;
}

/*
 * Take decoded lines while the budget lasts. A line costs at least its bytes,
 * so no more than max_cost bytes are buffered.
 */
static enum err take_lines(struct decoded_cursor *r, size_t lines,
			   uint64_t bytes, struct page_budget *t,
			   struct str *ret)
{
	size_t room = size_min(decoding_room((size_t)bytes), t->want->max_cost);
	size_t have = 0, taken = 0, fits;
	char *to = arena_alloc(r->d->mem, room + 1);
	bool end = false;

	while (!end && !t->full) {
		struct str text = STR(""), more;
		enum err e = cursor_next(r, lines, &text, &end);

		if (e)
			return e;
		lines -= lines_newlines(text);
		end = end || !lines;
		fits = size_min(text.len, room - have);
		memcpy(to + have, text.ptr, fits);
		have += fits;
		more = str_make(to + taken, have - taken);
		if (!end || fits < text.len)
			more.len = last_end(more);
		taken += page_budget_take(t, more);
		t->full = t->full || fits < text.len;
	}
	*ret = str_make(to, taken);
	return ERR_OK;
}

enum err decoded_take(struct decoded *d, const struct lineindex *x, size_t last,
		      struct page_budget *t, struct str *ret)
{
	size_t line = t->want->line;
	struct decoded_cursor r = cursor_at(d, x, line);
	uint64_t bytes = byte_span(x, d->begin, last);
	enum err e = progress_fits(d->progress, bytes, d->f);

	d->total = bytes;
	if (!e)
		e = take_lines(&r, last - line + 1, bytes, t, ret);
	if (!e && !ret->len)
		return line_too_long(d, x, t->want);
	return e;
}
