#include "files/whole.h"

#include "base/fd.h"
#include "files/stamp.h"

#include <errno.h>
#include <stdlib.h>

enum {
	PIECE = 1024 * 1024,
	BLOCK = 256 * 1024,
	SMALL = 8 * 1024,
	TRIES = 4,
};

enum err errand_goes_on(const struct errand *errand, uint64_t done,
			uint64_t total, struct fault *f)
{
	if (!errand)
		return ERR_OK;
	if (errand->stop && errand->stop(errand->ctx))
		return fail(f, ERR_CANCELLED, .path = STR(""));
	if (errand->moved && done)
		errand->moved(errand->ctx, done, size_max(done, total));
	return ERR_OK;
}

enum err errand_patience(const struct errand *errand, uint64_t bytes,
			 struct fault *f)
{
	if (errand && errand->patience && bytes > errand->patience)
		return fail(f, ERR_LATER, .path = STR(""));
	return ERR_OK;
}

static const struct str file_words = STR_INIT("a file of this size");

struct reading {
	int fd;
	uint64_t max;
	const struct errand *errand;
	struct arena *mem;
	char *bytes;
	size_t len, room;
};

/*
 * One piece more; *ret_end at the end of the file. What has the size that
 * fstat said is taken to end there: if it grew, the stamp says so, too.
 */
static enum err read_piece(struct reading *r, const struct stat *st,
			   bool *ret_end, struct fault *f)
{
	uint64_t size = (uint64_t)st->st_size; /* 0: /proc does not say */
	size_t want = size_min(r->room - r->len, PIECE);
	ssize_t got;
	enum err e;

	if (r->len) {
		e = errand_goes_on(r->errand, r->len, size, f);
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

/* What is not worth asking the budget for. */
enum { LITTLE = 64 * 1024 };

static enum err read_once(struct reading *r, const struct stat *st,
			  struct fault *f)
{
	bool end = false;
	enum err e;

	r->len = 0;
	if (!r->bytes) {
		r->room = (size_t)st->st_size + 1;
		if (st->st_size == 0) /* or it does not say, as in /proc */
			r->room = 4096;
		if (r->room > LITTLE && !arena_reserve(r->mem, r->room))
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

enum err whole_read(int fd, struct stat *st, uint64_t max,
		    const struct errand *errand, struct arena *mem,
		    struct str *ret, struct fault *f)
{
	struct reading r = {
		.fd = fd, .max = max, .errand = errand, .mem = mem
	};

	for (int i = 0; i < TRIES; i++) {
		struct stamp before = stamp_of(st), after;
		enum err e;

		if (before.size > max)
			return fail(f, ERR_TOO_LARGE, .bytes = before.size,
				    .limit = max);
		e = read_once(&r, st, f);
		if (e)
			return e;
		if (fstat(fd, st))
			return fail_os(f, errno, STR(""));
		after = stamp_of(st);
		if (stamp_eq(&before, &after))
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

/* Whatever size it has. */
static int hash_blocks(const struct errand *errand, int fd, struct hash *ret)
{
	struct fault ignored;
	auto_block *block = new_block();
	struct hash_stream *s = hash_start();
	off_t at = 0;
	ssize_t got;

	do {
		got = -1;
		if (errand_goes_on(errand, 0, 0, &ignored))
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

int whole_hash(int fd, off_t size, struct hash *ret)
{
	return whole_hash_for(NULL, fd, size, ret);
}

int whole_hash_for(const struct errand *errand, int fd, off_t size,
		   struct hash *ret)
{
	not_zeroed char bytes[SMALL];
	ssize_t got;

	if (size >= SMALL)
		return hash_blocks(errand, fd, ret);
	got = fd_pread_once(fd, bytes, (size_t)size + 1, 0);
	if (got < 0)
		return -1;
	if (got != size)
		return hash_blocks(errand, fd, ret);
	*ret = hash_of(str_make(bytes, (size_t)got));
	return 0;
}

int whole_is(int fd, struct str bytes)
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
