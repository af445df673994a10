/*
 * ends.h - the first or the last lines of a large file, without a pass over it.
 *
 * Only for plain UTF-8, as far as the lines and the first block of the file
 * show; for everything else the caller makes an index (lineindex.h, decoded.h).
 */
#ifndef STET_ENDS_H
#define STET_ENDS_H

#include "files/workspace.h"

struct ends_want {
	size_t lines;  /* at least 1 */
	bool last;     /* the last lines of the file, else the first */
	uint64_t most; /* bytes of text */
};

/*
 * Read the lines from @fd, a file of @size bytes, with their line endings.
 * false: they have more than @most bytes, may not be plain UTF-8, or the file
 * has become shorter.
 */
must_check bool ends_read(int fd, uint64_t size, const struct ends_want *want,
			  struct arena *mem, struct str *ret);

#endif
