/*
 * lineindex.c - builds and caches line indexes of plain UTF-8 files.
 *
 * One scan validates UTF-8, hashes, and counts the newlines of each block. The
 * cache is a small array in LRU order under lineindex_cache.lock; indexes are
 * reference-counted, so that an evicted one stays valid for its readers. A
 * file that changes during the scan is scanned again.
 */
#include "files/lineindex.h"

#include "base/fd.h"
#include "files/content.h"
#include "text/encoding/encoding.h"
#include "text/encoding/utf8.h"
#include "text/lines/lines.h"

#include <errno.h>
#include <stdlib.h>

enum {
	READ_SIZE = 256 * 1024,
	CARRY_SIZE = 16, /* before a read: the start of a cut character */
	MAX_TRIES = 4,
	GROUP_SIZE = 64, /* blocks that lineindex_block() adds up at once */
};

static size_t index_size(const struct lineindex *x)
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

/* Move @x to the front, over what is at @from. Called under the lock. */
static void cache_put_first(struct lineindex_cache *c, size_t from,
			    struct lineindex *x)
{
	for (; from; from--)
		c->kept[from] = c->kept[from - 1];
	c->kept[0] = x;
}

/* Is @x what an index made with @named would be? */
static bool index_is_for(const struct lineindex *x,
			 const struct encoding *named)
{
	return x->named == named || (!x->marks && named == &encoding_utf8);
}

struct lineindex *lineindex_find(struct lineindex_cache *c,
				 const struct stat_data *stat,
				 const struct encoding *named)
{
	struct lineindex *found = NULL;

	(void)pthread_mutex_lock(&c->lock);
	for (size_t i = 0; i < LINEINDEX_KEPT && c->kept[i] && !found; i++) {
		if (!stat_data_eq(&c->kept[i]->stat, stat) ||
		    !index_is_for(c->kept[i], named))
			continue;
		found = c->kept[i];
		(void)atomic_fetch_add(&found->refs, 1);
		cache_put_first(c, i, found);
	}
	(void)pthread_mutex_unlock(&c->lock);
	return found;
}

static void cache_evict(struct lineindex_cache *c, size_t at)
{
	if (!c->kept[at])
		return;
	c->bytes -= index_size(c->kept[at]);
	lineindex_drop(c->kept[at]);
	c->kept[at] = NULL;
}

/* The slot for @x: that of an older index of the same file, or the last. */
static size_t cache_slot(const struct lineindex_cache *c,
			 const struct lineindex *x)
{
	size_t i = 0;

	while (i < LINEINDEX_KEPT - 1 && c->kept[i] &&
	       (c->kept[i]->stat.ino != x->stat.ino ||
		c->kept[i]->stat.dev != x->stat.dev ||
		c->kept[i]->named != x->named))
		i++;
	return i;
}

void lineindex_keep(struct lineindex_cache *c, struct lineindex *x,
		    int64_t made)
{
	size_t slot;

	if (!stat_data_settled(&x->stat, made) ||
	    index_size(x) > LINEINDEX_BYTES)
		return;
	(void)pthread_mutex_lock(&c->lock);
	slot = cache_slot(c, x);
	cache_evict(c, slot);
	(void)atomic_fetch_add(&x->refs, 1);
	cache_put_first(c, slot, x);
	c->bytes += index_size(x);
	for (size_t i = LINEINDEX_KEPT; --i && c->bytes > LINEINDEX_BYTES;)
		cache_evict(c, i);
	(void)pthread_mutex_unlock(&c->lock);
}

/* 256 GiB; a sparse file of any size could demand a huge index. */
#define MAX_BLOCKS ((uint64_t)1 << 22)

struct index_scan {
	int fd;
	struct lineindex *x;
	struct hash_stream *hash;
	char *buffer;   /* CARRY_SIZE + READ_SIZE bytes */
	size_t carried; /* bytes of a cut character before the next read */
	bool is_utf8;   /* valid so far, without NUL or BOM */
	bool open_line; /* the last byte is not a newline */
	bool too_large; /* more than MAX_BLOCKS */
};

static void scan_drop(struct index_scan *s)
{
	if (s->hash)
		(void)hash_end(s->hash);
	lineindex_drop(s->x);
	free(s->buffer);
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
	x->stat = stat_data_of(st);
	x->in = (struct detected){ &encoding_utf8, CONFIDENCE_CERTAIN };
	if (!marks)
		return x;
	x->marks = calloc(blocks + 1, sizeof(x->marks[0]));
	if (!x->marks)
		out_of_memory();
	return x;
}

static void scan_start(struct index_scan *s, const struct stat *st)
{
	size_t n =
		((size_t)st->st_size + LINEINDEX_BLOCK - 1) / LINEINDEX_BLOCK;

	s->too_large = n > MAX_BLOCKS;
	n = size_min(n, MAX_BLOCKS);
	s->x = lineindex_new(st, n, /* marks= */ false);
	s->x->ascii = true;
	s->buffer = malloc(CARRY_SIZE + READ_SIZE);
	if (!s->buffer)
		out_of_memory();
	s->hash = hash_start();
	s->is_utf8 = true;
}

/* ERR_BINARY_READ when the first block shows that the file is not text. */
static enum err check_head(struct str head, struct fault *f)
{
	size_t whole = head.len & ~(size_t)3;
	struct detected in;

	if (encoding_magic(head))
		return fail(f, ERR_BINARY_READ, .path = STR(""));
	if (str_find(head, '\0') == head.len)
		return ERR_OK;
	/* NUL bytes may be UTF-16 or UTF-32: cut at a multiple of 4 bytes. */
	if (!encoding_detect(str_head(head, whole), NULL, &in))
		return ERR_OK;
	/* The cut may have split a surrogate pair. */
	if (!encoding_detect(str_head(head, whole - 2), NULL, &in) &&
	    in.encoding->unit == 2)
		return ERR_OK;
	return fail(f, ERR_BINARY_READ, .path = STR(""));
}

/* Valid UTF-8 that is another encoding: a BOM, ISO-2022 escapes, NUL bytes. */
static bool is_other_encoding(struct str head)
{
	return str_starts(head, STR("\xef\xbb\xbf")) ||
	       encoding_has_iso2022(head) || str_find(head, '\0') < head.len;
}

/* Validate @block together with the character cut by the one before. */
static bool scan_utf8(struct index_scan *s, struct str block, bool last)
{
	struct str text =
		str_make(block.ptr - s->carried, block.len + s->carried);
	size_t tail = last ? 0 : utf8_tail(text);

	text.len -= tail;
	if (utf8_check(text) < text.len)
		return false;
	memcpy(s->buffer + CARRY_SIZE - tail, text.ptr + text.len, tail);
	s->carried = tail;
	return true;
}

/* Count newlines; *ret_ascii: only ASCII and no NUL byte. */
static void scan_newlines(struct index_scan *s, struct str block, uint64_t at,
			  bool *ret_ascii)
{
	size_t i = at / LINEINDEX_BLOCK;

	*ret_ascii = true;
	s->open_line = block.ptr[block.len - 1] != '\n';
	for (; block.len; block = str_skip(block, LINEINDEX_BLOCK)) {
		bool ascii;
		size_t n = lines_scan(str_head(block, LINEINDEX_BLOCK), &ascii);

		s->x->newline[i++] = (uint32_t)n;
		s->x->newlines += n;
		*ret_ascii = *ret_ascii && ascii;
	}
}

static enum err scan_bytes(struct index_scan *s, struct str block, uint64_t at,
			   struct fault *f)
{
	bool last = at + block.len == s->x->stat.size, ascii;
	enum err e = at ? ERR_OK : check_head(block, f);

	if (e)
		return e;
	if (!at && is_other_encoding(block)) {
		s->is_utf8 = false;
		return ERR_OK;
	}
	scan_newlines(s, block, at, &ascii);
	s->x->ascii = s->x->ascii && ascii;
	if (!ascii || s->carried)
		s->is_utf8 = scan_utf8(s, block, last);
	if (s->is_utf8 && !ascii && str_find(block, '\0') < block.len)
		return fail(f, ERR_BINARY_READ, .path = STR(""));
	if (s->is_utf8)
		hash_add(s->hash, block);
	return ERR_OK;
}

static enum err scan_block(struct index_scan *s, uint64_t at, bool *ret_short,
			   struct fault *f)
{
	size_t want = size_min(s->x->stat.size - at, READ_SIZE);
	ssize_t got = fd_pread(s->fd, s->buffer + CARRY_SIZE, want, (off_t)at);

	if (got < 0)
		return fail_os(f, errno, STR(""));
	*ret_short = (size_t)got < want;
	if (*ret_short)
		return ERR_OK;
	return scan_bytes(s, str_make(s->buffer + CARRY_SIZE, want), at, f);
}

/* *ret_truncated: the file got shorter during the scan. */
static enum err scan_all(struct index_scan *s, const struct progress *progress,
			 bool *ret_truncated, struct fault *f)
{
	uint64_t size = s->x->stat.size;
	enum err e;

	*ret_truncated = false;
	for (uint64_t at = 0; at < size && s->is_utf8 && !*ret_truncated;
	     at += READ_SIZE) {
		if (at && at % (4 * READ_SIZE) == 0) {
			e = progress_check(progress, at, size, f);
			if (e)
				return e;
		}
		e = scan_block(s, at, ret_truncated, f);
		if (!e && s->too_large) /* after a binary file was refused */
			e = fail(f, ERR_TOO_LARGE, .bytes = size,
				 .limit = MAX_BLOCKS * LINEINDEX_BLOCK);
		if (e)
			return e;
	}
	return ERR_OK;
}

static struct lineindex *scan_end(struct index_scan *s)
{
	struct lineindex *x = s->x;

	x->version = hash_end(s->hash);
	x->lines = x->newlines + (s->open_line ? 1 : 0);
	s->hash = NULL;
	s->x = NULL;
	return x;
}

/* *ret is NULL when the file is not plain UTF-8, or was truncated. */
static enum err scan_once(int fd, const struct stat *st,
			  const struct progress *progress,
			  struct lineindex **ret, bool *ret_truncated,
			  struct fault *f)
{
	struct index_scan s = { .fd = fd };
	enum err e;

	scan_start(&s, st);
	e = scan_all(&s, progress, ret_truncated, f);
	*ret = !e && !*ret_truncated && s.is_utf8 ? scan_end(&s) : NULL;
	scan_drop(&s);
	return e;
}

enum err lineindex_make(int fd, struct stat *st,
			const struct progress *progress, struct lineindex **ret,
			struct fault *f)
{
	for (int i = 0; i < MAX_TRIES; i++) {
		struct lineindex *x;
		struct stat_data after;
		bool truncated;
		enum err e = scan_once(fd, st, progress, &x, &truncated, f);

		if (!e && fstat(fd, st))
			e = fail_os(f, errno, STR(""));
		if (e) {
			lineindex_drop(x);
			return e;
		}
		after = stat_data_of(st);
		/* The last try accepts a file that never stops growing. */
		if (!truncated && (i == MAX_TRIES - 1 || !x ||
				   stat_data_eq(&x->stat, &after))) {
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

	for (size_t i = 0; i < GROUP_SIZE; i++)
		sum += newline[i];
	return sum;
}

size_t lineindex_block(const struct lineindex *x, size_t nth,
		       size_t *ret_before)
{
	size_t before = 0, i = 0;

	/* sums of groups: the loop has no branch per block */
	while (i + GROUP_SIZE <= x->n) {
		size_t sum = sum_group(x->newline + i);

		if (before + sum >= nth)
			break;
		before += sum;
		i += GROUP_SIZE;
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
		*ret = line <= 1 ? 0 : x->stat.size;
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
