/*
 * ids.h - a part of an id, as a person types it.
 *
 * Ids that were made one after the other share their first digits, which are
 * the time; the last ones are random, and tell them apart. Any part that is
 * unique is accepted; an id that ends with it takes precedence.
 */
#ifndef STET_IDS_H
#define STET_IDS_H

#include "base/arena.h"
#include "base/uuid.h"

enum { ID_DIGITS_MIN = 4, ID_DIGITS_SHORT = 8, ID_DIGITS = 32 };

/* The last ID_DIGITS_SHORT digits: how commands print an id. */
struct str id_short(struct uuid id, struct arena *mem);

#define ID_TOO_SHORT "An id, or a part of one, has at least 4 digits"

/* The hint for an id that id_digits() does not take: ID_TOO_SHORT, or "". */
struct str id_hint(struct str text);

/*
 * The hex digits of @text as SQLite's hex() has them, without dashes. False
 * unless they are at least ID_DIGITS_MIN and no more than an id has.
 */
must_check bool id_digits(struct str text, char to[ID_DIGITS + 1]);

#endif
