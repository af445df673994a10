/*
 * daybook_file.h - how a daybook lies on the disk.
 *
 * A head, then two pages of entries (entry.h). It never leaves the machine, so
 * numbers are as the machine has them.
 */
#ifndef STET_DAYBOOK_FILE_H
#define STET_DAYBOOK_FILE_H

#include "base/base.h"

#include <sys/types.h>

#define DAYBOOK_DIR "daybook"

enum {
	DAYBOOK_HEAD = 4096, /* bytes before the first page */
	DAYBOOK_PAGE = 512 << 10,
	DAYBOOK_PAGES = 2,
	DAYBOOK_SIZE = DAYBOOK_HEAD + DAYBOOK_PAGES * DAYBOOK_PAGE,
};

/* "daybook1" */
static const uint64_t DAYBOOK_MAGIC = 0x316b6f6f62796164;

struct daybook_head {
	uint64_t magic;
	uint64_t durable; /* what is in it was to outlast a loss of power */
};

static inline off_t daybook_page(int page)
{
	return DAYBOOK_HEAD + (off_t)page * DAYBOOK_PAGE;
}

#endif
