/*
 * page.c - ws_page() for files on the disk.
 *
 * A small file is read whole. Of a large one only the lines that are shown are
 * read, by its line index; a file in another encoding is decoded once, block
 * by block, to make that index, up to a limit. The first or last lines of a very
 * large one need no index when the caller wants no more than the text. A file
 * that changes between index and page is tried again.
 */
#include "base/fd.h"
#include "files/beneath.h"
#include "files/content.h"
#include "files/decoded.h"
#include "files/ends.h"
#include "files/local.h"
#include "text/encoding/encoding.h"
#include "text/lines/lines.h"

#include <errno.h>

enum {
	SMALL = 256 * 1024,
	RUN_SIZE = 256 * 1024,
	MAX_TRIES = 4,
	INDEX_ANYWAY = 8 << 20, /* a pass over so many bytes costs little */
};

static const uint64_t decode_max = 256 * 1024 * 1024;

struct page_reader {
	struct ws_local *w;
	struct str path;
	const struct page_want *asked;
	const struct page_want *want; /* the same, or @placed */
	struct page_want placed;      /* with line and limit instead of tail */
	const struct progress *progress;
	struct arena *mem;
	struct fault *f;
	struct opened file;
};

static void page_reader_drop(struct page_reader *p)
{
	opened_drop(&p->file);
}

static enum err page_small(struct page_reader *p, struct page *ret)
{
	struct snapshot snap = { .key = p->file.key };
	enum err e;

	e = progress_fits(p->progress, (uint64_t)p->file.st.st_size, p->f);
	if (!e)
		e = content_read(p->file.fd, &p->file.st, decode_max,
				 p->progress, p->mem, &snap.bytes, p->f);
	if (e)
		return e;
	snap.version = hash_of(snap.bytes);
	snap.stat = stat_data_of(&p->file.st);
	return paging_cut(&snap, p->path, p->want, p->mem, ret, p->f);
}

/* The requested lines, as offsets in the file. */
struct page_range {
	uint64_t start, end;
};

static enum err page_too_long(struct page_reader *p, uint64_t bytes)
{
	return fail(p->f, ERR_LINE_TOO_LONG, .path = p->path,
		    .number = (int64_t)p->want->line, .bytes = bytes,
		    .limit = p->want->max_cost);
}

static uint64_t first_line(struct page_reader *p, const struct lineindex *x,
			   const struct page_range *r)
{
	uint64_t next = r->end;

	(void)!lineindex_start(x, p->file.fd, p->want->line + 1, &next);
	return next - r->start;
}

static enum err find_range(struct page_reader *p, const struct lineindex *x,
			   size_t last, struct page_range *ret)
{
	uint64_t first;

	if (lineindex_start(x, p->file.fd, p->want->line, &ret->start) ||
	    lineindex_start(x, p->file.fd, last + 1, &ret->end))
		return fail_os(p->f, errno, p->path);
	if (ret->end - ret->start <= p->want->max_cost)
		return ERR_OK;
	first = first_line(p, x, ret);
	return first > p->want->max_cost ? page_too_long(p, first) : ERR_OK;
}

/* The offset after the last newline in @s; 0 when there is none. */
static size_t last_end(struct str s)
{
	size_t newline = str_rfind(s, '\n');

	return newline < s.len ? newline + 1 : 0;
}

/*
 * Read runs of bytes while the budget lasts. A line costs at least its bytes,
 * so no more than max_cost bytes are read.
 */
static enum err take_range(struct page_reader *p, const struct page_range *r,
			   struct page_budget *t, struct str *ret)
{
	size_t room = (size_t)(r->end - r->start);
	size_t have = 0, taken = 0;
	char *to;

	room = p->want->max_cost < room ? (size_t)p->want->max_cost : room;
	to = arena_alloc(p->mem, room + 1);
	while (have < room && !t->full) {
		size_t n = size_min(room - have, RUN_SIZE), whole;
		ssize_t got;
		enum err e = progress_check(p->progress, have, room, p->f);

		if (e)
			return e;
		got = fd_pread(p->file.fd, to + have, n,
			       (off_t)(r->start + have));
		if (got < 0 || (size_t)got < n)
			return fail_os(p->f, got < 0 ? errno : ESTALE, p->path);
		have += n;
		whole = have - taken;
		if (r->start + have < r->end)
			whole = last_end(str_make(to + taken, whole));
		taken += page_budget_take(t, str_make(to + taken, whole));
	}
	t->full = t->full || r->start + taken < r->end;
	*ret = str_make(to, taken);
	return ERR_OK;
}

static enum err take_plain(struct page_reader *p, const struct lineindex *x,
			   size_t last, struct page_budget *t, struct str *ret)
{
	struct page_range r;
	enum err e;

	e = find_range(p, x, last, &r);
	if (!e)
		e = progress_fits(p->progress, r.end - r.start, p->f);
	if (e)
		return e;
	*t = page_budget_start(p->want, r.end - r.start);
	e = take_range(p, &r, t, ret);
	if (!e && !ret->len) /* few enough bytes, but too costly */
		return page_too_long(p, first_line(p, x, &r));
	return e;
}

static struct decoded page_decoder(struct page_reader *p)
{
	return (struct decoded){
		.fd = p->file.fd,
		.block = DECODED_BLOCK,
		.progress = p->progress,
		.mem = p->mem,
		.f = p->f,
	};
}

static enum err page_indexed(struct page_reader *p, const struct lineindex *x,
			     struct page *ret)
{
	size_t last;
	struct decoded d = page_decoder(p);
	struct page_budget t = { .want = &p->placed };
	enum err e;

	p->placed = paging_place(p->asked, x->lines);
	p->want = &p->placed;
	last = paging_last(p->want, x->lines);
	*ret = (struct page){
		.text = STR(""),
		.first = p->want->line,
		.total_lines = x->lines,
		.version = x->version,
		.key = p->file.key,
		.stat = x->stat,
		.in = x->in,
		.undecodable = x->undecodable,
		.ascii = x->ascii,
	};
	if (!last)
		return ERR_OK;
	e = x->marks ? decoded_take(&d, x, last, &t, &ret->text)
		     : take_plain(p, x, last, &t, &ret->text);
	if (e)
		return e;
	ret->lines = t.full ? lines_count(ret->text) : last - p->want->line + 1;
	ret->cut = t.full;
	return ERR_OK;
}

static enum err index_decoded(struct page_reader *p, struct lineindex **ret)
{
	struct decoded d = page_decoder(p);
	uint64_t size = (uint64_t)p->file.st.st_size;

	if (size > decode_max)
		return fail(p->f, ERR_TOO_LARGE, .bytes = size,
			    .limit = decode_max);
	return decoded_index(&d, &p->file.st, p->want->named, ret);
}

static enum err index_file(struct page_reader *p, struct lineindex **ret)
{
	const struct encoding *named = p->want->named;
	enum err e;

	/* a configured encoding other than UTF-8 has to be decoded */
	if (named && named != &encoding_utf8)
		return index_decoded(p, ret);
	e = lineindex_make(p->file.fd, &p->file.st, p->progress, ret, p->f);
	return e || *ret ? e : index_decoded(p, ret);
}

static enum err get_index(struct page_reader *p, struct lineindex **ret)
{
	struct stat_data stat = stat_data_of(&p->file.st);
	int64_t now = stat_data_now();
	enum err e;

	*ret = lineindex_find(&p->w->indexes, &stat, p->want->named);
	if (*ret)
		return ERR_OK;
	e = progress_fits(p->progress, stat.size, p->f);
	if (!e)
		e = index_file(p, ret);
	if (!e)
		lineindex_keep(&p->w->indexes, *ret, now);
	return e;
}

/* Has the file changed since p->file.st? It is updated. */
static bool has_changed(struct page_reader *p)
{
	struct stat_data before = stat_data_of(&p->file.st), now;

	if (fstat(p->file.fd, &p->file.st))
		return false;
	now = stat_data_of(&p->file.st);
	return !stat_data_eq(&now, &before);
}

/* Is a part of the file wanted that ends.h finds without an index? */
static bool wants_ends(const struct page_reader *p, struct ends_want *ret)
{
	const struct page_want *want = p->asked;

	*ret = (struct ends_want){ .lines = want->tail ? want->tail
						       : want->limit,
				   .last = want->tail > 0,
				   .most = want->max_cost };
	/* On the event loop: what is longer takes an index, on a worker. */
	if (p->progress && p->progress->byte_limit)
		ret->most = size_min(ret->most, p->progress->byte_limit);
	return want->no_totals && p->file.st.st_size > INDEX_ANYWAY &&
	       (want->tail || (want->line == 1 && want->limit < SIZE_MAX)) &&
	       (!want->named || want->named == &encoding_utf8);
}

/* false: it needs an index after all. */
static bool page_ends(struct page_reader *p, struct page *ret)
{
	struct page_budget t;
	struct ends_want ends;
	struct str text;

	if (!wants_ends(p, &ends) ||
	    !ends_read(p->file.fd, (uint64_t)p->file.st.st_size, &ends, p->mem,
		       &text))
		return false;
	t = page_budget_start(p->asked, text.len);
	if (page_budget_take(&t, text) < text.len)
		return false;
	*ret = (struct page){
		.text = text,
		.lines = lines_count(text),
		.first = ends.last ? 0 : 1,
		.no_totals = true,
		.key = p->file.key,
		.stat = stat_data_of(&p->file.st),
		.in = { &encoding_utf8, CONFIDENCE_CERTAIN },
	};
	return true;
}

/* *ret_changed: the file changed between indexing and reading. */
static enum err page_large(struct page_reader *p, struct page *ret,
			   bool *ret_changed)
{
	auto_lineindex *x = NULL;
	struct stat_data now;
	enum err e;

	*ret_changed = false;
	if (page_ends(p, ret)) {
		*ret_changed = has_changed(p);
		return ERR_OK;
	}
	e = get_index(p, &x);
	if (e)
		return e;
	e = page_indexed(p, x, ret);
	if (fstat(p->file.fd, &p->file.st))
		return fail_os(p->f, errno, p->path);
	now = stat_data_of(&p->file.st);
	*ret_changed = !stat_data_eq(&now, &x->stat);
	return e;
}

enum err local_page(struct workspace *ws, struct str path,
		    const struct page_want *want,
		    const struct progress *progress, struct arena *mem,
		    struct page *ret, struct fault *f)
{
	struct ws_local *w = (struct ws_local *)ws;
	auto_roots *roots = local_roots(w);
	cleanup(page_reader_drop) struct page_reader p = {
		.w = w,
		.path = path,
		.asked = want,
		.want = want,
		.progress = progress,
		.mem = mem,
		.f = f,
		.file.fd = -1,
	};
	bool changed = true;
	enum err e;

	e = local_open(w, roots, path, progress, mem, &p.file, f);
	ret->key = p.file.key;
	for (int i = 0; !e && changed && i < MAX_TRIES; i++) {
		changed = false;
		if (p.file.st.st_size <= SMALL)
			e = page_small(&p, ret);
		else
			e = page_large(&p, ret, &changed);
		if (changed && i < MAX_TRIES - 1)
			e = ERR_OK;
	}
	if (e)
		f->path = path;
	return e;
}
