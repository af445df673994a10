/*
 * stamp.h - what the filesystem says about a file's content without reading.
 *
 * Equal stamps mean equal content, but only once they are old enough: the
 * kernel's clock for files is coarse, and a write right after the last look
 * may leave the stamp as it was ("racy", as git calls it).
 */
#ifndef STET_STAMP_H
#define STET_STAMP_H

#include "base/base.h"

#include <sys/stat.h>

struct stamp {
	uint64_t dev, ino, size;
	int64_t mtime, ctime; /* nanoseconds */
};

struct stamp stamp_of(const struct stat *st);
bool stamp_eq(const struct stamp *a, const struct stamp *b);

/* Nanoseconds of the clock that stamps are taken from. */
int64_t stamp_now(void);

/* Was it old enough at @now that a later write must show? */
bool stamp_settled(const struct stamp *s, int64_t now);

#endif
