/*
 * splice.h - a replacement of a range of bytes.
 */
#ifndef STET_SPLICE_H
#define STET_SPLICE_H

#include "base/str.h"

/* Replace bytes @from to @to of the original by @with. */
struct splice {
	size_t from, to;
	struct str with;
};

#endif
