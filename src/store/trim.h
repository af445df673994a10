/*
 * trim.h - the history stays within its limit, a little work at a time.
 *
 * What was written is added up; when that comes near the limit the contents
 * are counted, some rows at a time, and if they do take too much the oldest
 * operations go until there is room again. An intent without an end stays.
 */
#ifndef STET_TRIM_H
#define STET_TRIM_H

#include "store/db.h"

enum trim_step { TRIM_COUNT, TRIM_REST, TRIM_DROP, TRIM_FILES, TRIM_VACUUM };

struct trim {
	uint64_t max;   /* bytes; 0 = no limit */
	uint64_t total; /* counted */
	uint64_t noted; /* written since the count began */
	int64_t at;     /* the last row that was counted */
	enum trim_step step;
	bool dropping; /* until there is room again */
};

/* So many bytes were written. */
void trim_note(struct trim *t, uint64_t bytes);

/* Is it over the limit, so that it cannot wait for a quiet moment? */
bool trim_is_urgent(const struct trim *t);

/* One step; *@ret_more: there is another. */
must_check enum err trim_some(struct db *db, struct trim *t, bool *ret_more,
			      struct fault *f);

#endif
