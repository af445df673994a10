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

#endif
