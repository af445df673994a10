/*
 * common_prefix.h - the length of the common prefix and suffix of two texts.
 */
#ifndef STET_COMMON_PREFIX_H
#define STET_COMMON_PREFIX_H

#include "base/str.h"

/* Number of equal bytes at the front, and at the end. */
size_t common_prefix(struct str a, struct str b);
size_t common_suffix(struct str a, struct str b);

#endif
