/*
 * history_access.h - the part of the history that a caller may see: operations
 * on files beneath its roots that no rule hides. Others seem not to exist.
 */
#ifndef STET_HISTORY_ACCESS_H
#define STET_HISTORY_ACCESS_H

#include "tools/history/operations.h"

/*
 * ERR_STORE unless there is a history that can be used, after crash recovery.
 * ERR_LATER when recovery is due and the call must not block.
 */
must_check enum err history_access_check(struct call *c);

/* The key of @path, by which the history knows the file. */
must_check enum err history_access_key(struct call *c, struct str path,
				       struct str *ret);

/* May the caller see the operation? */
bool history_access_allows(struct call *c, const struct op *op);

/* One line of text per row, for a model. */
struct str op_rows_text(struct call *c, const struct op_row *rows, size_t n);

#endif
