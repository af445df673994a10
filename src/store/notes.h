/*
 * notes.h - notes into the database, in one transaction.
 */
#ifndef STET_NOTES_H
#define STET_NOTES_H

#include "store/writer.h"

/*
 * Write all of @list; each note says how it went. When that cannot be done
 * in one transaction, each gets its own.
 */
void notes_write(struct db *db, struct recent *recent, struct note *list);

#endif
