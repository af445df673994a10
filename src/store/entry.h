/*
 * entry.h - a note as bytes, in a daybook.
 *
 * Each is { hash, size, turn, note }: the hash is of all that follows it, and
 * the turn is one more whenever a page is begun anew. So what a death has cut
 * off, and what is left of a former turn, are told from what counts.
 */
#ifndef STET_ENTRY_H
#define STET_ENTRY_H

#include "base/buf.h"
#include "store/writer.h"

void entry_put(struct buf *out, const struct note *n, uint64_t turn);

/* Is there the beginning of one? Not in what was never written to. */
bool entry_begins(struct str bytes);

/*
 * The first of *@rest, which is then what follows it; NULL when there is none.
 * *@turn is that of the page: 0 takes that of the entry. Its contents are
 * views of *@rest; free() it.
 */
must_check struct note *entry_get(struct str *rest, uint64_t *turn);

#endif
