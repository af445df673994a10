/*
 * approval_files.h - the list of files of a question, as it is stored.
 *
 * A path may hold any bytes, so each text has its length before it.
 */
#ifndef STET_APPROVAL_FILES_H
#define STET_APPROVAL_FILES_H

#include "store/approvals.h"

/* "" for an empty list. */
void approval_files_put(struct buf *out, const struct approval_file *files,
			size_t n);

/* The views of the result are into @text. A damaged list ends early. */
struct approval_file *approval_files_get(struct str text, struct arena *mem,
					 size_t *ret_n);

#endif
