/*
 * changes.h - telling a caller what somebody else has changed meanwhile.
 */
#ifndef STET_CHANGES_H
#define STET_CHANGES_H

#include "tools/tool.h"

/* Has a call failed so because somebody else changed the file? */
bool changes_are_why(enum err e);

/* The most that a fault says of it, in bytes. */
enum { CHANGES_MOST = 2048 };

/*
 * The call has failed because the file is no longer as it was. Look at it
 * once more and put into the fault which version it has now, and how that
 * differs from what the call had seen (c->seen): a diff without context, at
 * most CHANGES_MOST bytes. Of what is no text, only the version.
 */
void changes_tell(struct call *c);

#endif
