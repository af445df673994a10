/*
 * edit_all.h - replacing a string wherever it is in a text.
 *
 * Byte for byte, or, when it is nowhere so, with LF and CRLF the same. What
 * is put in takes the line endings of each place, as in edit.h. Places do not
 * overlap and are taken from left to right.
 */
#ifndef STET_EDIT_ALL_H
#define STET_EDIT_ALL_H

#include "text/edit.h"

/*
 * ERR_NO_MATCH; ERR_TOO_LARGE when the text would have more than @most bytes,
 * which is found out before memory is taken; ERR_NO_MEMORY. Or ranges of all
 * @ret_count places, in the text before.
 */
must_check enum err edit_apply_all(struct str text, const struct edit *edit,
				   size_t most, struct arena *mem,
				   struct edit_done *ret, size_t *ret_count,
				   struct fault *f);

#endif
