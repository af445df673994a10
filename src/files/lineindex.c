#include "files/lineindex.h"

#include "base/fd.h"
#include "files/whole.h"
#include "text/encoding.h"
#include "text/lines.h"
#include "text/utf8.h"

#include <errno.h>
#include <stdlib.h>

/* What is read at once; and room before it for a character begun earlier. */
enum { READ = 256 * 1024, BEFORE = 16, TRIES = 4, GROUP = 64 };

static size_t size_of(const struct lineindex *x)
{
	size_t marks = x->marks ? (x->n + 1) * sizeof(x->marks[0]) : 0;

	return sizeof(*x) + x->n * sizeof(x->newline[0]) + marks;
}

void lineindex_cache_init(struct lineindex_cache *c)
{
	*c = (struct lineindex_cache){ .bytes = 0 };
	(void)pthread_mutex_init(&c->lock, NULL);
}

void lineindex_cache_free(struct lineindex_cache *c)
{
	for (size_t i = 0; i < LINEINDEX_KEPT; i++)
		lineindex_drop(c->kept[i]);
	(void)pthread_mutex_destroy(&c->lock);
}

void lineindex_drop(struct lineindex *x)
{
	if (!x || atomic_fetch_sub(&x->refs, 1) != 1)
		return;
	free(x->marks);
	free(x);
}

void lineindex_dropp(struct lineindex **x)
{
	lineindex_drop(*x);
}

/* Make @x the latest; what stood at @from goes. Under the lock. */
static void put_first(struct lineindex_cache *c, size_t from,
		      struct lineindex *x)
{
	for (; from; from--)
		c->kept[from] = c->kept[from - 1];
	c->kept[0] = x;
}

/* Is it what one made with @named would be? */
static bool made_with(const struct lineindex *x, const struct encoding *named)
{
	return x->named == named || (!x->marks && named == &encoding_utf8);
}

struct lineindex *lineindex_find(struct lineindex_cache *c,
				 const struct stamp *stamp,
				 const struct encoding *named)
{
	struct lineindex *found = NULL;

	(void)pthread_mutex_lock(&c->lock);
	for (size_t i = 0; i < LINEINDEX_KEPT && c->kept[i] && !found; i++) {
		if (!stamp_eq(&c->kept[i]->stamp, stamp) ||
		    !made_with(c->kept[i], named))
			continue;
		found = c->kept[i];
		(void)atomic_fetch_add(&found->refs, 1);
		put_first(c, i, found);
	}
	(void)pthread_mutex_unlock(&c->lock);
	return found;
}

static void forget(struct lineindex_cache *c, size_t at)
{
	if (!c->kept[at])
		return;
	c->bytes -= size_of(c->kept[at]);
	lineindex_drop(c->kept[at]);
	c->kept[at] = NULL;
}

/* Where the new one goes in: over an older one of the same file, or last. */
static size_t slot_for(const struct lineindex_cache *c,
		       const struct lineindex *x)
{
	size_t i = 0;

	while (i < LINEINDEX_KEPT - 1 && c->kept[i] &&
	       (c->kept[i]->stamp.ino != x->stamp.ino ||
		c->kept[i]->stamp.dev != x->stamp.dev ||
		c->kept[i]->named != x->named))
		i++;
	return i;
}

void lineindex_keep(struct lineindex_cache *c, struct lineindex *x,
		    int64_t made)
{
	size_t slot;

	if (!stamp_settled(&x->stamp, made) || size_of(x) > LINEINDEX_BYTES)
		return;
	(void)pthread_mutex_lock(&c->lock);
	slot = slot_for(c, x);
	forget(c, slot);
	(void)atomic_fetch_add(&x->refs, 1);
	put_first(c, slot, x);
	c->bytes += size_of(x);
	for (size_t i = LINEINDEX_KEPT; --i && c->bytes > LINEINDEX_BYTES;)
		forget(c, i);
	(void)pthread_mutex_unlock(&c->lock);
}

/* Of a file that is sparse, the size says nothing of what it takes. */
#define MOST_BLOCKS ((uint64_t)1 << 22)

struct scan {
	int fd;
	struct lineindex *x;
	struct hash_stream *hash;
	char *room;     /* BEFORE + READ */
	size_t carried; /* bytes of an unfinished character before READ */
	bool plain;     /* no NUL, no mark, valid so far */
	bool open;      /* the last byte is no newline */
	bool huge;      /* more than an index is made for */
};

static void scan_drop(struct scan *s)
{
	if (s->hash)
		(void)hash_end(s->hash);
	lineindex_drop(s->x);
	free(s->room);
}

struct lineindex *lineindex_new(const struct stat *st, size_t blocks,
				bool marks)
{
	struct lineindex *x;

	x = calloc(1, sizeof(*x) + blocks * sizeof(x->newline[0]));
	if (!x)
		out_of_memory();
	x->refs = 1;
	x->n = blocks;
	x->stamp = stamp_of(st);
	x->in = (struct detected){ &encoding_utf8, CONFIDENCE_CERTAIN };
	if (!marks)
		return x;
	x->marks = calloc(blocks + 1, sizeof(x->marks[0]));
	if (!x->marks)
		out_of_memory();
	return x;
}

static void scan_start(struct scan *s, const struct stat *st)
{
	size_t n =
		((size_t)st->st_size + LINEINDEX_BLOCK - 1) / LINEINDEX_BLOCK;

	s->huge = n > MOST_BLOCKS;
	n = size_min(n, MOST_BLOCKS);
	s->x = lineindex_new(st, n, /* marks= */ false);
	s->x->ascii = true;
	s->room = malloc(BEFORE + READ);
	if (!s->room)
		out_of_memory();
	s->hash = hash_start();
	s->plain = true;
}

/* Of the first block: does it say at once that this is no text? */
static enum err look_at_head(struct str head, struct fault *f)
{
	size_t whole = head.len & ~(size_t)3;
	struct detected in;

	if (encoding_magic(head))
		return fail(f, ERR_BINARY_READ, .path = STR(""));
	if (str_find(head, '\0') == head.len)
		return ERR_OK;
	/* UTF-16 and UTF-32 have NULs, too; cut where all of them may be. */
	if (!encoding_detect(str_head(head, whole), NULL, &in))
		return ERR_OK;
	/* It may be the first half of a pair that is in the way. */
	if (!encoding_detect(str_head(head, whole - 2), NULL, &in) &&
	    in.encoding->unit == 2)
		return ERR_OK;
	return fail(f, ERR_BINARY_READ, .path = STR(""));
}

/*
 * Does the first block, which may be text, say that it is not plain UTF-8,
 * though it could be?
 */
static bool marked(struct str head)
{
	return str_starts(head, STR("\xef\xbb\xbf")) ||
	       encoding_escapes(head) || str_find(head, '\0') < head.len;
}

/* Valid, with what the block before has left over? */
static bool check_text(struct scan *s, struct str block, bool last)
{
	struct str text =
		str_make(block.ptr - s->carried, block.len + s->carried);
	size_t tail = last ? 0 : utf8_tail(text);

	text.len -= tail;
	if (utf8_check(text) < text.len)
		return false;
	memcpy(s->room + BEFORE - tail, text.ptr + text.len, tail);
	s->carried = tail;
	return true;
}

/* Count lines; *ret_ascii: there is nothing but ASCII, and no NUL. */
static void count(struct scan *s, struct str block, uint64_t at,
		  bool *ret_ascii)
{
	size_t i = at / LINEINDEX_BLOCK;

	*ret_ascii = true;
	s->open = block.ptr[block.len - 1] != '\n';
	for (; block.len; block = str_skip(block, LINEINDEX_BLOCK)) {
		bool ascii;
		size_t n =
			lines_survey(str_head(block, LINEINDEX_BLOCK), &ascii);

		s->x->newline[i++] = (uint32_t)n;
		s->x->newlines += n;
		*ret_ascii = *ret_ascii && ascii;
	}
}

static enum err look_at(struct scan *s, struct str block, uint64_t at,
			struct fault *f)
{
	bool last = at + block.len == s->x->stamp.size, ascii;
	enum err e = at ? ERR_OK : look_at_head(block, f);

	if (e)
		return e;
	if (!at && marked(block)) {
		s->plain = false;
		return ERR_OK;
	}
	count(s, block, at, &ascii);
	s->x->ascii = s->x->ascii && ascii;
	if (!ascii || s->carried)
		s->plain = check_text(s, block, last);
	if (s->plain && !ascii && str_find(block, '\0') < block.len)
		return fail(f, ERR_BINARY_READ, .path = STR(""));
	if (s->plain)
		hash_add(s->hash, block);
	return ERR_OK;
}

static enum err scan_block(struct scan *s, uint64_t at, bool *ret_short,
			   struct fault *f)
{
	size_t want = size_min(s->x->stamp.size - at, READ);
	ssize_t got = fd_pread(s->fd, s->room + BEFORE, want, (off_t)at);

	if (got < 0)
		return fail_os(f, errno, STR(""));
	*ret_short = (size_t)got < want;
	if (*ret_short)
		return ERR_OK;
	return look_at(s, str_make(s->room + BEFORE, want), at, f);
}

/* *ret_moved: the file got shorter meanwhile. */
static enum err scan_all(struct scan *s, const struct errand *errand,
			 bool *ret_moved, struct fault *f)
{
	uint64_t size = s->x->stamp.size;
	enum err e;

	*ret_moved = false;
	for (uint64_t at = 0; at < size && s->plain && !*ret_moved;
	     at += READ) {
		if (at && at % (4 * READ) == 0) {
			e = errand_goes_on(errand, at, size, f);
			if (e)
				return e;
		}
		e = scan_block(s, at, ret_moved, f);
		if (!e && s->huge) /* and it may be text */
			e = fail(f, ERR_TOO_LARGE, .bytes = size,
				 .limit = MOST_BLOCKS * LINEINDEX_BLOCK);
		if (e)
			return e;
	}
	return ERR_OK;
}

static struct lineindex *scan_end(struct scan *s)
{
	struct lineindex *x = s->x;

	x->version = hash_end(s->hash);
	x->lines = x->newlines + (s->open ? 1 : 0);
	s->hash = NULL;
	s->x = NULL;
	return x;
}

/* NULL in *ret: not plain UTF-8, or *ret_moved. */
static enum err scan_once(int fd, const struct stat *st,
			  const struct errand *errand, struct lineindex **ret,
			  bool *ret_moved, struct fault *f)
{
	struct scan s = { .fd = fd };
	enum err e;

	scan_start(&s, st);
	e = scan_all(&s, errand, ret_moved, f);
	*ret = !e && !*ret_moved && s.plain ? scan_end(&s) : NULL;
	scan_drop(&s);
	return e;
}

enum err lineindex_make(int fd, struct stat *st, const struct errand *errand,
			struct lineindex **ret, struct fault *f)
{
	for (int i = 0; i < TRIES; i++) {
		struct lineindex *x;
		struct stamp after;
		bool moved;
		enum err e = scan_once(fd, st, errand, &x, &moved, f);

		if (!e && fstat(fd, st))
			e = fail_os(f, errno, STR(""));
		if (e) {
			lineindex_drop(x);
			return e;
		}
		after = stamp_of(st);
		/* One that never stops growing is taken as it was. */
		if (!moved &&
		    (i == TRIES - 1 || !x || stamp_eq(&x->stamp, &after))) {
			*ret = x;
			return ERR_OK;
		}
		lineindex_drop(x);
	}
	return fail_os(f, EBUSY, STR(""));
}

static size_t sum_group(const uint32_t *newline)
{
	size_t sum = 0;

	for (size_t i = 0; i < GROUP; i++)
		sum += newline[i];
	return sum;
}

size_t lineindex_block(const struct lineindex *x, size_t nth,
		       size_t *ret_before)
{
	size_t before = 0, i = 0;

	/* by groups first: that needs no decision for each block */
	while (i + GROUP <= x->n) {
		size_t sum = sum_group(x->newline + i);

		if (before + sum >= nth)
			break;
		before += sum;
		i += GROUP;
	}
	while (before + x->newline[i] < nth)
		before += x->newline[i++];
	*ret_before = before;
	return i;
}

int lineindex_start(const struct lineindex *x, int fd, size_t line,
		    uint64_t *ret)
{
	not_zeroed char block[LINEINDEX_BLOCK];
	size_t before, i;
	ssize_t got;

	if (line <= 1 || line > x->newlines + 1) {
		*ret = line <= 1 ? 0 : x->stamp.size;
		return 0;
	}
	i = lineindex_block(x, line - 1, &before);
	got = fd_pread(fd, block, sizeof(block), (off_t)i * LINEINDEX_BLOCK);
	if (got < 0)
		return -1;
	if (lines_newlines(str_make(block, (size_t)got)) < line - 1 - before) {
		errno = ESTALE;
		return -1;
	}
	*ret = i * LINEINDEX_BLOCK +
	       lines_after(str_make(block, (size_t)got), line - 1 - before);
	return 0;
}
