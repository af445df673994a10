/*
 * daybook.h - where notes are put down before the database has them.
 *
 * A transaction takes longer than all else that a small change waits for. So
 * small notes are first put into a file of our own, with one write each, and
 * carried over to the database later, many in one transaction. Every store
 * that writes often has such a book, in daybook/ beside the database, and
 * holds a lock on it as long as it lives.
 *
 * Whoever looks at the history takes in first what is in the books of others,
 * and removes those whose owner is no more. What the database has already is
 * passed over, so nothing is in there twice, however often it is taken in.
 *
 * A book has two pages: one is written to while what is on the other is
 * carried over. Not safe for several threads at once, but for daybook_sync().
 */
#ifndef STET_DAYBOOK_H
#define STET_DAYBOOK_H

#include "store/db.h"

struct daybook;
struct note;

/* No note is longer that goes into a book. */
enum { DAYBOOK_MOST = 64 << 10 };

/*
 * Begin one called @name in the directory of @db; NULL when that cannot be
 * done. With @durable there is room in it that is on disk.
 */
struct daybook *daybook_new(struct db *db, struct uuid name, bool durable);

/* Close it; it is removed unless it has notes that nobody else has, or @keep. */
void daybook_free(struct daybook *d, bool keep);

/* Put down @list, all or nothing: false when they do not fit or it fails. */
must_check bool daybook_put(struct daybook *d, struct note *list);

/* What was put down so far is on disk: 0, or -1. */
must_check int daybook_sync(struct daybook *d);

/* Somebody has removed it: nobody would find what is in it. */
bool daybook_is_gone(const struct daybook *d);

/* There is not much room left on the page: it wants to be carried over. */
bool daybook_is_full(const struct daybook *d);

/* Go on on the other page, if that is empty. */
void daybook_turn(struct daybook *d);

/* The database has this one. */
void daybook_carried(struct daybook *d, const struct note *n);

/* All of the page that is not written to is carried over: it can be emptied. */
bool daybook_is_carried(const struct daybook *d);

/* Empty it. What was carried over must last as long as it would have here. */
void daybook_clear(struct daybook *d);

/* Take in what the books beside @db hold, but for the one called @own. */
void daybooks_take_in(struct db *db, struct uuid own);

/* Do they hold anything? */
bool daybooks_hold_any(int dir);

#endif
