#include "files/stamp.h"

#include <time.h>

enum { RACY_NS = 20 * 1000 * 1000 };

static int64_t nanoseconds(struct timespec t)
{
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

struct stamp stamp_of(const struct stat *st)
{
	return (struct stamp){
		.dev = st->st_dev,
		.ino = st->st_ino,
		.size = (uint64_t)st->st_size,
		.mtime = nanoseconds(st->st_mtim),
		.ctime = nanoseconds(st->st_ctim),
	};
}

bool stamp_eq(const struct stamp *a, const struct stamp *b)
{
	return a->dev == b->dev && a->ino == b->ino && a->size == b->size &&
	       a->mtime == b->mtime && a->ctime == b->ctime;
}

int64_t stamp_now(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_REALTIME, &t);
	return nanoseconds(t);
}

bool stamp_settled(const struct stamp *s, int64_t now)
{
	return s->mtime < now - RACY_NS && s->ctime < now - RACY_NS;
}
