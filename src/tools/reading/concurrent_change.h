/*
 * concurrent_change.h - describes a concurrent change of a file to the caller.
 */
#ifndef STET_CONCURRENT_CHANGE_H
#define STET_CONCURRENT_CHANGE_H

#include "tools/call/tool.h"

/* Does the error mean that the file was changed concurrently? */
bool is_concurrent_change(enum err e);

/* Limit of the diff in a fault, in bytes. */
enum { CONCURRENT_CHANGE_MOST = 2048 };

/*
 * The call has failed because the file has changed. Load it once more and add
 * to the fault the present version and how it differs from what the call had
 * loaded (c->seen): a diff without context, at
 * most CONCURRENT_CHANGE_MOST bytes. For a binary file only the version.
 */
void concurrent_change_explain(struct call *c);

#endif
