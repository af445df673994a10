/*
 * when.h - times as people write and read them.
 */
#ifndef STET_WHEN_H
#define STET_WHEN_H

#include "base/arena.h"

/*
 * "90d", "2h ago", "10:30", "yesterday", "2026-01-15", "2026-01-15 10:30",
 * "2026-01-15T10:30:00Z": local time unless it says otherwise. @now_ms is
 * when "now" is. False when it is none of these.
 */
must_check bool when_parse(struct str text, uint64_t now_ms, uint64_t *ret_ms);

/* "90d", "12h", "30min", "45s": a span. */
must_check bool when_span(struct str text, uint64_t *ret_ms);

/* "45 s", "5 min", "3 h", "2 d": how long something lasts, rounded down. */
struct str when_lasts(uint64_t ms, struct arena *mem);

/* When the day of @now_ms ends, local time. */
must_check bool when_midnight(uint64_t now_ms, uint64_t *ret_ms);

/* When something ends: "14:05", "midnight", "2026-01-16 14:05"; local time. */
struct str when_end(uint64_t time_ms, uint64_t now_ms, struct arena *mem);

/* "just now", "5 min ago", "3 h ago"; what is older by date, local time. */
struct str when_short(uint64_t time_ms, uint64_t now_ms, struct arena *mem);

/* "2026-01-15 10:30:00 (5 min ago)" */
struct str when_long(uint64_t time_ms, uint64_t now_ms, struct arena *mem);

#endif
