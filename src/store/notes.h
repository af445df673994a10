/*
 * notes.h - notes, and how they get into the database: in one transaction.
 */
#ifndef STET_NOTES_H
#define STET_NOTES_H

#include "store/writer.h"

/* One with a copy of @op, and @room bytes at *@ret_room. */
struct note *note_new(const struct op *op, size_t room, char **ret_room);

/*
 * Write all of @list; each note says how it went. When that cannot be done
 * in one transaction, each gets its own. Those up to the number @kept are
 * kept already, as long as they are to be.
 */
void notes_write(struct db *db, struct recent *recent, struct note *list,
		 uint64_t kept);

/* The contents of those that did not fail. */
uint64_t notes_bytes(const struct note *list);

void notes_free(struct note *list);

#endif
