/*
 * pack.h - contents made smaller, when there is time.
 */
#ifndef STET_PACK_H
#define STET_PACK_H

#include "store/blobs.h"

/*
 * Compress a few contents that are still raw, if they shrink. *@ret_more:
 * there may be others.
 */
must_check enum err pack_some(struct db *db, bool *ret_more, struct fault *f);

/*
 * Write them to @fd at once, made smaller, where that takes less time than to
 * write all of them. false: it does not, or failed, and @fd has some bytes.
 */
must_check bool pack_quickly(struct str bytes, int fd, uint64_t *ret_size);

#endif
