/*
 * reserve.h - room on the state directory's disk for when it is full.
 *
 * A file of a few megabytes that holds nothing. When the disk is full it is
 * removed, so that small changes can be kept all the same until somebody has
 * made room; then it is made anew.
 */
#ifndef STET_RESERVE_H
#define STET_RESERVE_H

#include "store/db.h"

/* Make it, if it is not there and there is room. */
void reserve_make(const struct db *db);

/* Give its room away; false when there is none. */
must_check bool reserve_use(const struct db *db);

/* Has a write failed because the disk is full? */
bool reserve_is_wanted(const struct fault *f);

#endif
