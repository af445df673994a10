/*
 * compress.h - compress the contents of the history with zstd.
 */
#ifndef STET_COMPRESS_H
#define STET_COMPRESS_H

#include "store/blobs.h"

/* Compress a few contents that are raw; *@ret_more: there may be others. */
must_check enum err compress_some(struct db *db, bool *ret_more,
				  struct fault *f);

/*
 * Write @bytes compressed to @fd, if that is likely to be faster than to write
 * them raw. False: it is not, or it failed; @fd may have some bytes then.
 */
must_check bool compress_quickly(struct str bytes, int fd, uint64_t *ret_size);

#endif
