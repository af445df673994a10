#include "base/fd.h"
#include "files/beneath.h"
#include "files/decoded.h"
#include "files/local.h"
#include "files/whole.h"
#include "text/encoding.h"
#include "text/lines.h"

#include <errno.h>

/*
 * Pages of files on the disk: a small file is read whole; of a large one only
 * what is shown, with the help of its line index. For what is not plain UTF-8
 * that is made by decoding all of it, piece by piece, up to a limit.
 */

enum { SMALL = 256 * 1024, RUN = 256 * 1024, TRIES = 4 };

static const uint64_t decode_max = 256 * 1024 * 1024;

struct paging {
	struct ws_local *w;
	struct str path;
	const struct page_want *want;
	const struct errand *errand;
	struct arena *mem;
	struct fault *f;
	struct opened file;
};

static void paging_drop(struct paging *p)
{
	opened_drop(&p->file);
}

static enum err page_whole(struct paging *p, struct page *ret)
{
	struct snapshot snap = { .key = p->file.key };
	enum err e;

	e = errand_patience(p->errand, (uint64_t)p->file.st.st_size, p->f);
	if (!e)
		e = whole_read(p->file.fd, &p->file.st, decode_max, p->errand,
			       p->mem, &snap.bytes, p->f);
	if (e)
		return e;
	snap.version = hash_of(snap.bytes);
	snap.stamp = stamp_of(&p->file.st);
	return paging_cut(&snap, p->path, p->want, p->mem, ret, p->f);
}

/* The lines that are wanted, as offsets in the file. */
struct range {
	uint64_t start, end;
};

static enum err too_long(struct paging *p, uint64_t bytes)
{
	return fail(p->f, ERR_LINE_TOO_LONG, .path = p->path,
		    .number = (int64_t)p->want->line, .bytes = bytes,
		    .limit = p->want->max_cost);
}

static uint64_t first_line(struct paging *p, const struct lineindex *x,
			   const struct range *r)
{
	uint64_t next = r->end;

	(void)!lineindex_start(x, p->file.fd, p->want->line + 1, &next);
	return next - r->start;
}

static enum err find_range(struct paging *p, const struct lineindex *x,
			   size_t last, struct range *ret)
{
	uint64_t first;

	if (lineindex_start(x, p->file.fd, p->want->line, &ret->start) ||
	    lineindex_start(x, p->file.fd, last + 1, &ret->end))
		return fail_os(p->f, errno, p->path);
	if (ret->end - ret->start <= p->want->max_cost)
		return ERR_OK;
	first = first_line(p, x, ret);
	return first > p->want->max_cost ? too_long(p, first) : ERR_OK;
}

/* Where the last line that ends in @s ends; 0 when none does. */
static size_t last_end(struct str s)
{
	size_t newline = str_rfind(s, '\n');

	return newline < s.len ? newline + 1 : 0;
}

/*
 * Read and take lines run by run. A line costs at least its bytes, so more
 * than max_cost of them need never be read.
 */
static enum err take_range(struct paging *p, const struct range *r,
			   struct taking *t, struct str *ret)
{
	size_t room = (size_t)(r->end - r->start);
	size_t have = 0, taken = 0;
	char *to;

	room = p->want->max_cost < room ? (size_t)p->want->max_cost : room;
	to = arena_alloc(p->mem, room + 1);
	while (have < room && !t->full) {
		size_t n = size_min(room - have, RUN), whole;
		ssize_t got;
		enum err e = errand_goes_on(p->errand, have, room, p->f);

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
		taken += taking_more(t, str_make(to + taken, whole));
	}
	t->full = t->full || r->start + taken < r->end;
	*ret = str_make(to, taken);
	return ERR_OK;
}

static enum err take_plain(struct paging *p, const struct lineindex *x,
			   size_t last, struct taking *t, struct str *ret)
{
	struct range r;
	enum err e;

	e = find_range(p, x, last, &r);
	if (!e)
		e = errand_patience(p->errand, r.end - r.start, p->f);
	if (e)
		return e;
	*t = taking_from(p->want, r.end - r.start);
	e = take_range(p, &r, t, ret);
	if (!e && !ret->len) /* it has not too many bytes, but too dear ones */
		return too_long(p, first_line(p, x, &r));
	return e;
}

static struct decoded decoded_of(struct paging *p)
{
	return (struct decoded){
		.fd = p->file.fd,
		.block = DECODED_BLOCK,
		.errand = p->errand,
		.mem = p->mem,
		.f = p->f,
	};
}

static enum err page_indexed(struct paging *p, const struct lineindex *x,
			     struct page *ret)
{
	size_t last = paging_last(p->want, x->lines);
	struct decoded d = decoded_of(p);
	struct taking t = { .want = p->want };
	enum err e;

	*ret = (struct page){
		.text = STR(""),
		.total_lines = x->lines,
		.version = x->version,
		.key = p->file.key,
		.stamp = x->stamp,
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

static enum err make_decoded(struct paging *p, struct lineindex **ret)
{
	struct decoded d = decoded_of(p);
	uint64_t size = (uint64_t)p->file.st.st_size;

	if (size > decode_max)
		return fail(p->f, ERR_TOO_LARGE, .bytes = size,
			    .limit = decode_max);
	return decoded_index(&d, &p->file.st, p->want->named, ret);
}

static enum err make_index(struct paging *p, struct lineindex **ret)
{
	const struct encoding *named = p->want->named;
	enum err e;

	/* what somebody named has to be decoded, but for UTF-8 itself */
	if (named && named != &encoding_utf8)
		return make_decoded(p, ret);
	e = lineindex_make(p->file.fd, &p->file.st, p->errand, ret, p->f);
	return e || *ret ? e : make_decoded(p, ret);
}

static enum err get_index(struct paging *p, struct lineindex **ret)
{
	struct stamp stamp = stamp_of(&p->file.st);
	int64_t now = stamp_now();
	enum err e;

	*ret = lineindex_find(&p->w->indexes, &stamp, p->want->named);
	if (*ret)
		return ERR_OK;
	e = errand_patience(p->errand, stamp.size, p->f);
	if (!e)
		e = make_index(p, ret);
	if (!e)
		lineindex_keep(&p->w->indexes, *ret, now);
	return e;
}

/* *ret_moved: the file changed between its index and the lines. */
static enum err page_large(struct paging *p, struct page *ret, bool *ret_moved)
{
	auto_lineindex *x = NULL;
	struct stamp now;
	enum err e;

	*ret_moved = false;
	e = get_index(p, &x);
	if (e)
		return e;
	e = page_indexed(p, x, ret);
	if (fstat(p->file.fd, &p->file.st))
		return fail_os(p->f, errno, p->path);
	now = stamp_of(&p->file.st);
	*ret_moved = !stamp_eq(&now, &x->stamp);
	return e;
}

enum err local_page(struct workspace *ws, struct str path,
		    const struct page_want *want, const struct errand *errand,
		    struct arena *mem, struct page *ret, struct fault *f)
{
	struct ws_local *w = (struct ws_local *)ws;
	auto_roots *roots = local_roots(w);
	cleanup(paging_drop) struct paging p = {
		.w = w,
		.path = path,
		.want = want,
		.errand = errand,
		.mem = mem,
		.f = f,
		.file.fd = -1,
	};
	bool moved = true;
	enum err e;

	e = beneath_open(roots, path, mem, &p.file, f);
	ret->key = p.file.key;
	if (!e && journal_pending(&w->journal, &p.file.st)) {
		e = local_settle(w, roots, p.file.key, &p.file.st, errand, mem,
				 f);
		if (!e && fstat(p.file.fd, &p.file.st))
			e = fail_os(f, errno, path);
	}
	for (int i = 0; !e && moved && i < TRIES; i++) {
		moved = false;
		if (p.file.st.st_size <= SMALL)
			e = page_whole(&p, ret);
		else
			e = page_large(&p, ret, &moved);
		if (moved && i < TRIES - 1)
			e = ERR_OK;
	}
	if (e)
		f->path = path;
	return e;
}
