/*
 * event_log.h - a local log of changes in numbers, and counters.
 *
 * No file unless --events names one; the counters are also shown on the page.
 * Lines of JSON: the size of each change, never its text, and the counters when
 * the program ends. Nothing of it leaves the machine.
 *
 *	{"time":...,"event":"track_patch","tool":"Edit","path":"/p/f",
 *	 "kind":"update","added":2,"removed":1,"bytes":812,
 *	 "hunks":[{"old_start":3,"old_lines":1,"new_start":3,"new_lines":2}]}
 *	{"time":...,"event":"track_patch","tool":"apply_patch","kind":"group",
 *	 "files":3,"added":20,"removed":4,"bytes":9000}
 *	{"time":...,"event":"tengu_write_claudemd","tool":"Write","path":...}
 *	{"time":...,"event":"counters","calls":7,"failed":1,"created":1,
 *	 "updated":3,"removed":0,"lines_added":40,"lines_removed":2}
 */
#ifndef STET_EVENT_LOG_H
#define STET_EVENT_LOG_H

#include "base/linefile.h"
#include "tools/call/events.h"
#include "tools/change/change.h"

#include <stdatomic.h>

struct event_log {
	struct event_sink sink; /* first: the sink is cast to the event log */
	struct linefile file;
	bool silent; /* counters only, no file */
	atomic_ullong calls, failed, created, updated, removed;
	atomic_ullong lines_added, lines_removed;
};

/* 0, or an errno value. event_sink.close writes the counters. */
must_check int event_log_open(struct event_log *w, const char *path);

/* Counters without a file. */
void event_log_count_only(struct event_log *w);

/* Changes of several files by one call, which are one line. */
struct event_log_sum {
	uint64_t added, removed, bytes;
};

void event_log_add(struct call *c, const struct change *change,
		   struct event_log_sum *sum);
void event_log_group(struct call *c, const struct event_log_sum *sum);

/* Record a change; does nothing if the log is off. */
void event_log_change(struct call *c, const struct change *change,
		      const struct changed *changed);

#endif
