/*
 * content.h - read, hash or compare the whole content of an open file.
 */
#ifndef STET_CONTENT_H
#define STET_CONTENT_H

#include "files/workspace.h"

#include <sys/stat.h>

/* Report progress; ERR_CANCELLED when the caller has cancelled. */
must_check enum err progress_check(const struct progress *progress,
				   uint64_t done, uint64_t total,
				   struct fault *f);

/* ERR_LATER when @bytes exceed the caller's byte_limit. */
must_check enum err progress_fits(const struct progress *progress,
				  uint64_t bytes, struct fault *f);

/*
 * Read @fd to its end into @mem; @st is its fresh fstat() and is updated. A
 * file that changes meanwhile is read again, up to four times, so that a mix
 * of two states is only returned when a writer never pauses.
 */
must_check enum err content_read(int fd, struct stat *st, uint64_t max,
				 const struct progress *progress,
				 struct arena *mem, struct str *ret,
				 struct fault *f);

/*
 * The hash of all bytes of @fd: 0, or -1 with errno. @size is the expected
 * size: a small file that has it costs one read().
 */
must_check int content_hash(int fd, off_t size, struct hash *ret);

/* The same with cancellation: -1 with ECANCELED. @progress may be NULL. */
must_check int content_hash_cancellable(const struct progress *progress, int fd,
					off_t size, struct hash *ret);

/*
 * Does @fd hold exactly @bytes? 1, 0, or -1 with errno. A small file costs one
 * read().
 */
must_check int content_equals(int fd, struct str bytes);

#endif
