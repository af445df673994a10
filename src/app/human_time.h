/*
 * human_time.h - times and durations as people write and read them.
 */
#ifndef STET_HUMAN_TIME_H
#define STET_HUMAN_TIME_H

#include "base/arena.h"

/*
 * "90d", "2h ago", "10:30", "yesterday", "2026-01-15", "2026-01-15 10:30",
 * "2026-01-15T10:30:00Z": local time unless a zone is given. @now_ms is the
 * current time. False for any other text.
 */
must_check bool human_time_parse(struct str text, uint64_t now_ms,
				 uint64_t *ret_ms);

/* A duration: "90d", "12h", "30min", "45s". */
must_check bool human_time_span(struct str text, uint64_t *ret_ms);

/* A duration, rounded down: "45 s", "5 min", "3 h", "2 d". */
struct str human_time_lasts(uint64_t ms, struct arena *mem);

/* The end of the day of @now_ms, in local time. */
must_check bool human_time_midnight(uint64_t now_ms, uint64_t *ret_ms);

/* An end time: "14:05", "midnight", "2026-01-16 14:05"; local time. */
struct str human_time_end(uint64_t time_ms, uint64_t now_ms, struct arena *mem);

/* "just now", "5 min ago", "3 h ago"; older times by date, in local time. */
struct str human_time_short(uint64_t time_ms, uint64_t now_ms,
			    struct arena *mem);

/* "2026-01-15 10:30:00 (5 min ago)" */
struct str human_time_long(uint64_t time_ms, uint64_t now_ms,
			   struct arena *mem);

#endif
