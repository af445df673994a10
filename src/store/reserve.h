/*
 * reserve.h - disk space set aside for small changes on a full disk.
 *
 * A file of a few megabytes without content. When the disk is full it is
 * removed, so that small changes can still be recorded; it is created again
 * when there is space.
 */
#ifndef STET_RESERVE_H
#define STET_RESERVE_H

#include "store/db.h"

/* Create the file, if it is missing and the disk has plenty of space. */
void reserve_make(const struct db *db);

/* Remove the file; false when there is none. */
must_check bool reserve_use(const struct db *db);

/* Has a write failed because the disk is full? */
bool reserve_is_wanted(const struct fault *f);

#endif
