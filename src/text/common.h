/*
 * common.h - what two texts share at their ends.
 */
#ifndef STET_COMMON_H
#define STET_COMMON_H

#include "base/str.h"

/* How many bytes at the front of both, at the end of both, are the same. */
size_t common_head(struct str a, struct str b);
size_t common_tail(struct str a, struct str b);

#endif
