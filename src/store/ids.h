/*
 * ids.h - a part of an id, as a person types it.
 *
 * Ids that were made one after the other share their first digits, which are
 * the time; the last ones are random, and tell them apart. Any part will do
 * that only one id has; where one id ends with it, that one is meant.
 */
#ifndef STET_IDS_H
#define STET_IDS_H

#include "base/uuid.h"

enum { ID_DIGITS_MIN = 4, ID_DIGITS = 32 };

/*
 * The hex digits of @text as SQLite's hex() has them, without dashes. False
 * unless they are at least ID_DIGITS_MIN and no more than an id has.
 */
must_check bool id_digits(struct str text, char to[ID_DIGITS + 1]);

#endif
