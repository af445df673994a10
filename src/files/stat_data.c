/*
 * stat_data.c - copies and compares the identity, size and times of a file.
 *
 * Pure but for stat_data_now(). RACY_NS covers a tick of the kernel's coarse
 * clock (4 to 10 ms) with room to spare.
 */
#include "files/stat_data.h"

#include <time.h>

enum { RACY_NS = 20 * 1000 * 1000 };

static int64_t timespec_ns(struct timespec t)
{
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

struct stat_data stat_data_of(const struct stat *st)
{
	return (struct stat_data){
		.dev = st->st_dev,
		.ino = st->st_ino,
		.size = (uint64_t)st->st_size,
		.mtime = timespec_ns(st->st_mtim),
		.ctime = timespec_ns(st->st_ctim),
	};
}

bool stat_data_eq(const struct stat_data *a, const struct stat_data *b)
{
	return a->dev == b->dev && a->ino == b->ino && a->size == b->size &&
	       a->mtime == b->mtime && a->ctime == b->ctime;
}

int64_t stat_data_now(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_REALTIME, &t);
	return timespec_ns(t);
}

bool stat_data_settled(const struct stat_data *s, int64_t now)
{
	return s->mtime < now - RACY_NS && s->ctime < now - RACY_NS;
}
