/*
 * content.c - reads, hashes and compares whole files by pread().
 *
 * Long loops poll the caller's struct progress; memory for a whole file is
 * checked against the arena's budget before it is allocated.
 */
#include "files/content.h"

#include "base/fd.h"
#include "files/stat_data.h"

#include <errno.h>
#include <stdlib.h>

enum {
	PIECE = 1024 * 1024,
	BLOCK = 256 * 1024,
	SMALL = 8 * 1024,
	TRIES = 4,
};

enum err progress_check(const struct progress *progress, uint64_t done,
			uint64_t total, struct fault *f)
{
	if (!progress)
		return ERR_OK;
	if (progress->stop && progress->stop(progress->ctx))
		return fail(f, ERR_CANCELLED, .path = STR(""));
	if (progress->report && done)
		progress->report(progress->ctx, done, size_max(done, total));
	return ERR_OK;
}

enum err progress_fits(const struct progress *progress, uint64_t bytes,
		       struct fault *f)
{
	if (progress && progress->byte_limit && bytes > progress->byte_limit)
		return fail(f, ERR_LATER, .path = STR(""));
	return ERR_OK;
}

static const struct str file_words = STR_INIT("a file of this size");

struct content_reader {
	int fd;
	uint64_t max;
	const struct progress *progress;
	struct arena *mem;
	char *bytes;
	size_t len, room;
};

/*
 * Read one more piece; *ret_end is set at the end of the file. A read up to the
 * size that fstat() reported is taken to be complete: if the file grew since,
 * the caller sees it in the stat data.
 */
static enum err read_piece(struct content_reader *r, const struct stat *st,
			   bool *ret_end, struct fault *f)
{
	uint64_t size = (uint64_t)st->st_size; /* 0 in /proc */
	size_t want = size_min(r->room - r->len, PIECE);
	ssize_t got;
	enum err e;

	if (r->len) {
		e = progress_check(r->progress, r->len, size, f);
		if (e)
			return e;
	}
	if (size > r->len)
		want = size_min(want, size - r->len);
	got = fd_pread(r->fd, r->bytes + r->len, want, (off_t)r->len);
	if (got < 0)
		return fail_os(f, errno, STR(""));
	r->len += (size_t)got;
	if (r->len > r->max)
		return fail(f, ERR_TOO_LARGE, .bytes = r->len, .limit = r->max);
	*ret_end = (size_t)got < want || (size && r->len == size);
	if (r->len == r->room) {
		if (!arena_reserve(r->mem, r->room * 2))
			return fail_memory(f, file_words, r->room * 2,
					   r->mem->charge.budget);
		r->bytes = arena_grow(r->mem, r->bytes, r->room, r->room * 2);
		r->room *= 2;
	}
	return ERR_OK;
}

/* Files up to this size are allocated without asking the budget. */
enum { UNBUDGETED = 64 * 1024 };

static enum err read_once(struct content_reader *r, const struct stat *st,
			  struct fault *f)
{
	bool end = false;
	enum err e;

	r->len = 0;
	if (!r->bytes) {
		r->room = (size_t)st->st_size + 1;
		if (st->st_size == 0) /* empty, or of unknown size in /proc */
			r->room = 4096;
		if (r->room > UNBUDGETED && !arena_reserve(r->mem, r->room))
			return fail_memory(f, file_words, r->room,
					   r->mem->charge.budget);
		r->bytes = arena_alloc(r->mem, r->room);
	}
	while (!end) {
		e = read_piece(r, st, &end, f);
		if (e)
			return e;
	}
	return ERR_OK;
}

enum err content_read(int fd, struct stat *st, uint64_t max,
		      const struct progress *progress, struct arena *mem,
		      struct str *ret, struct fault *f)
{
	struct content_reader r = {
		.fd = fd, .max = max, .progress = progress, .mem = mem
	};

	for (int i = 0; i < TRIES; i++) {
		struct stat_data before = stat_data_of(st), after;
		enum err e;

		if (before.size > max)
			return fail(f, ERR_TOO_LARGE, .bytes = before.size,
				    .limit = max);
		e = read_once(&r, st, f);
		if (e)
			return e;
		if (fstat(fd, st))
			return fail_os(f, errno, STR(""));
		after = stat_data_of(st);
		if (stat_data_eq(&before, &after))
			break;
	}
	*ret = str_make(r.bytes, r.len);
	return ERR_OK;
}

static void free_block(char **block)
{
	free(*block);
}

#define auto_block cleanup(free_block) char

static char *new_block(void)
{
	char *block = malloc(BLOCK);

	if (!block)
		out_of_memory();
	return block;
}

static int hash_blocks(const struct progress *progress, int fd,
		       struct hash *ret)
{
	struct fault ignored;
	auto_block *block = new_block();
	struct hash_stream *s = hash_start();
	off_t at = 0;
	ssize_t got;

	do {
		got = -1;
		if (progress_check(progress, 0, 0, &ignored))
			errno = ECANCELED;
		else
			got = fd_pread(fd, block, BLOCK, at);
		if (got > 0)
			hash_add(s, str_make(block, (size_t)got));
		at += got > 0 ? got : 0;
	} while (got == BLOCK);
	*ret = hash_end(s);
	return got < 0 ? -1 : 0;
}

int content_hash(int fd, off_t size, struct hash *ret)
{
	return content_hash_cancellable(NULL, fd, size, ret);
}

int content_hash_cancellable(const struct progress *progress, int fd,
			     off_t size, struct hash *ret)
{
	not_zeroed char bytes[SMALL];
	ssize_t got;

	if (size >= SMALL)
		return hash_blocks(progress, fd, ret);
	got = fd_pread_once(fd, bytes, (size_t)size + 1, 0);
	if (got < 0)
		return -1;
	if (got != size)
		return hash_blocks(progress, fd, ret);
	*ret = hash_of(str_make(bytes, (size_t)got));
	return 0;
}

static int compare_blocks(int fd, struct str bytes)
{
	auto_block *block = new_block();
	off_t at = 0;
	ssize_t got;

	do {
		got = fd_pread(fd, block, BLOCK, at);
		if (got < 0)
			return -1;
		if ((size_t)got > bytes.len ||
		    (got && memcmp(block, bytes.ptr, (size_t)got) != 0))
			return 0;
		bytes = str_skip(bytes, (size_t)got);
		at += got;
	} while (got == BLOCK);
	return bytes.len == 0;
}

int content_equals(int fd, struct str bytes)
{
	not_zeroed char now[SMALL];
	ssize_t got;

	if (bytes.len >= SMALL)
		return compare_blocks(fd, bytes);
	got = fd_pread_once(fd, now, bytes.len + 1, 0);
	if (got < 0)
		return -1;
	if ((size_t)got != bytes.len)
		return compare_blocks(fd, bytes);
	return str_eq(str_make(now, (size_t)got), bytes);
}
