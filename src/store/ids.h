/*
 * ids.h - the first digits of a name, as the range of names they begin.
 */
#ifndef STET_IDS_H
#define STET_IDS_H

#include "base/uuid.h"

enum { ID_DIGITS_MIN = 4 };

/* False unless it is at least that many hex digits; dashes do not count. */
must_check bool id_range(struct str digits, struct uuid *low,
			 struct uuid *high);

#endif
