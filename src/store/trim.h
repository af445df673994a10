/*
 * trim.h - keep the history within its limit, in the background.
 *
 * The bytes written are added up; when the sum comes near the limit the stored
 * contents are counted, some rows at a time, and if they take too much the
 * oldest operations are dropped. An intent without an end is never dropped.
 */
#ifndef STET_TRIM_H
#define STET_TRIM_H

#include "store/db.h"

enum trim_step { TRIM_COUNT, TRIM_REST, TRIM_DROP, TRIM_FILES, TRIM_VACUUM };

struct trim {
	uint64_t max;   /* bytes; 0 = no limit */
	uint64_t total; /* bytes counted */
	uint64_t noted; /* bytes written since the count began */
	int64_t at;     /* id of the last row that was counted */
	enum trim_step step;
	bool dropping; /* down to 8/10 of @max */
};

/* @bytes were written. */
void trim_note(struct trim *t, uint64_t bytes);

/* Is it so near the limit that it cannot wait until the writer is idle? */
bool trim_is_urgent(const struct trim *t);

/* One step; *@ret_more: there is another. */
must_check enum err trim_some(struct db *db, struct trim *t, bool *ret_more,
			      struct fault *f);

#endif
