#include "files/decoded.h"

#include "base/fd.h"
#include "files/whole.h"
#include "text/lines.h"

#include <errno.h>

enum { TRIES = 4 };

static struct str read_from(void *ctx, uint64_t at)
{
	struct decoded *d = ctx;
	size_t want = size_min(d->bytes.size - at, d->block);
	ssize_t got;

	if (!d->failed)
		d->failed =
			errand_goes_on(d->errand, d->total ? at - d->begin : 0,
				       d->total, d->f);
	if (d->failed || d->shorter)
		return STR("");
	got = fd_pread(d->fd, d->raw, want, (off_t)at);
	if (got < 0)
		d->failed = fail_os(d->f, errno, STR(""));
	d->shorter = got >= 0 && (size_t)got < want;
	if (d->failed || d->shorter)
		return STR("");
	return str_make(d->raw, want);
}

static void start(struct decoded *d, uint64_t size)
{
	d->bytes = (struct supply){ .size = size, .from = read_from, .ctx = d };
	d->begin = d->total = 0;
	d->failed = ERR_OK;
	d->shorter = false;
	if (d->raw)
		return;
	d->raw = arena_alloc(d->mem, d->block);
	d->text = arena_alloc(d->mem, decoding_room(d->block));
}

static void index_pieces(struct decoded *d, struct lineindex *x)
{
	const struct encoding *e = x->in.encoding;
	struct pass p = { .of = &d->bytes, .at = e->bom.len };
	struct decoding now = { .e = e };
	struct hash_stream *hash = hash_start();
	bool open = false;

	d->total = d->bytes.size;
	hash_add(hash, e->bom);
	for (size_t used = 0; pass_on(&p, used); x->n++) {
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
	x->undecodable = now.strays;
	x->version = hash_end(hash);
}

/* Also to be dropped when it failed, or d->shorter. */
static enum err index_once(struct decoded *d, const struct stat *st,
			   const struct encoding *named, struct lineindex **ret)
{
	size_t least = d->block - SUPPLY_LEAST + 1; /* that a piece goes on */
	struct lineindex *x =
		lineindex_new(st, (size_t)st->st_size / least + 1, true);
	enum err e;

	*ret = x;
	start(d, x->stamp.size);
	x->n = 0;
	x->named = named;
	e = encoding_detect_in(&d->bytes, named, &x->in);
	if (!e && !d->failed && !d->shorter)
		index_pieces(d, x);
	if (d->failed || d->shorter)
		return d->failed;
	return e ? fail(d->f, e, .path = STR("")) : ERR_OK;
}

enum err decoded_index(struct decoded *d, struct stat *st,
		       const struct encoding *named, struct lineindex **ret)
{
	for (int i = 0; i < TRIES; i++) {
		auto_lineindex *x = NULL;
		enum err e = index_once(d, st, named, &x);
		struct stamp now;

		if (d->failed)
			return e;
		if (fstat(d->fd, st))
			return fail_os(d->f, errno, STR(""));
		now = stamp_of(st);
		/* One that never stops growing is taken as it was. */
		if (d->shorter || (i < TRIES - 1 && !stamp_eq(&x->stamp, &now)))
			continue;
		if (e)
			return e;
		*ret = x;
		x = NULL;
		return ERR_OK;
	}
	return fail_os(d->f, EBUSY, STR(""));
}

/* Decoding from some line on. */
struct run {
	struct decoded *d;
	struct pass p;
	struct decoding now;
	size_t used; /* of the piece */
	size_t skip; /* lines before that one, in the first piece */
};

static struct run run_from(struct decoded *d, const struct lineindex *x,
			   size_t line)
{
	size_t before = 0, i = 0;

	if (line > 1)
		i = lineindex_block(x, line - 1, &before);
	start(d, x->stamp.size);
	d->begin = x->marks[i].at;
	return (struct run){
		.d = d,
		.p = { .of = &d->bytes, .at = x->marks[i].at },
		.now = { .e = x->in.encoding, .shift = x->marks[i].shift },
		.skip = line - 1 - before,
	};
}

static enum err stale(struct decoded *d)
{
	return fail_os(d->f, ESTALE, STR(""));
}

/* The next text, at most @lines; *@ret_end: no piece comes after it. */
static enum err run_on(struct run *r, size_t lines, struct str *ret,
		       bool *ret_end)
{
	struct decoded *d = r->d;
	struct str text;

	if (!pass_on(&r->p, r->used))
		return d->failed ? d->failed : stale(d);
	text = str_make(d->text,
			decoding_more(&r->now, &r->p, d->text, &r->used));
	if (r->skip && lines_newlines(text) < r->skip)
		return stale(d);
	text = str_skip(text, lines_after(text, r->skip));
	r->skip = 0;
	*ret = str_head(text, lines_after(text, lines));
	*ret_end = r->p.last;
	return ERR_OK;
}

static enum err too_long(struct decoded *d, const struct lineindex *x,
			 const struct page_want *want)
{
	struct run r = run_from(d, x, want->line);
	bool end = false;
	uint64_t bytes = 0;

	while (!end) {
		struct str text = STR("");
		enum err e = run_on(&r, 1, &text, &end);

		if (e)
			return e;
		bytes += text.len;
		end = end || str_ends(text, STR("\n"));
	}
	return fail(d->f, ERR_LINE_TOO_LONG, .path = STR(""),
		    .number = (int64_t)want->line, .bytes = bytes,
		    .limit = want->max_cost);
}

/* How many bytes of the file the lines up to @last may take, from there. */
static uint64_t span(const struct lineindex *x, uint64_t from, size_t last)
{
	size_t before, i = x->n - 1;

	if (last <= x->newlines)
		i = lineindex_block(x, last, &before);
	return x->marks[i + 1].at - from;
}

/* Where the last line that ends in @s ends; 0 when none does. */
static size_t last_end(struct str s)
{
	size_t newline = str_rfind(s, '\n');

	return newline < s.len ? newline + 1 : 0;
}

/*
 * Line by line what was decoded is taken. A line costs at least its bytes, so
 * no more than max_cost of them are kept.
 */
static enum err take_lines(struct run *r, size_t lines, uint64_t bytes,
			   struct taking *t, struct str *ret)
{
	size_t room = size_min(decoding_room((size_t)bytes), t->want->max_cost);
	size_t have = 0, taken = 0, fits;
	char *to = arena_alloc(r->d->mem, room + 1);
	bool end = false;

	while (!end && !t->full) {
		struct str text = STR(""), more;
		enum err e = run_on(r, lines, &text, &end);

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
		taken += taking_more(t, more);
		t->full = t->full || fits < text.len;
	}
	*ret = str_make(to, taken);
	return ERR_OK;
}

enum err decoded_take(struct decoded *d, const struct lineindex *x, size_t last,
		      struct taking *t, struct str *ret)
{
	size_t line = t->want->line;
	struct run r = run_from(d, x, line);
	uint64_t bytes = span(x, d->begin, last);
	enum err e = errand_patience(d->errand, bytes, d->f);

	d->total = bytes;
	if (!e)
		e = take_lines(&r, last - line + 1, bytes, t, ret);
	if (!e && !ret->len)
		return too_long(d, x, t->want);
	return e;
}
