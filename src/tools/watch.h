/*
 * watch.h - a local stream of events, for the person who wants to look.
 *
 * Off unless --events names a file, but for the numbers that somebody may want
 * to have shown. Lines of JSON: what a change did to a
 * file in numbers, never its text, and how many calls there were, when the
 * program ends. Nothing of it leaves the machine.
 *
 *	{"time":...,"event":"track_patch","tool":"Edit","path":"/p/f",
 *	 "kind":"update","added":2,"removed":1,"bytes":812,
 *	 "hunks":[{"old_start":3,"old_lines":1,"new_start":3,"new_lines":2}]}
 *	{"time":...,"event":"tengu_write_claudemd","tool":"Write","path":...}
 *	{"time":...,"event":"counters","calls":7,"failed":1,"created":1,
 *	 "updated":3,"removed":0,"lines_added":40,"lines_removed":2}
 */
#ifndef STET_WATCH_H
#define STET_WATCH_H

#include "base/linefile.h"
#include "tools/change.h"
#include "tools/events.h"

#include <stdatomic.h>

struct watch {
	struct event_sink sink; /* counts calls; first: it is cast */
	struct linefile file;
	bool silent; /* there is no file: it only counts */
	atomic_ullong calls, failed, created, updated, removed;
	atomic_ullong lines_added, lines_removed;
};

/* 0, or an errno value. Its sink writes the counters when it is closed. */
must_check int watch_open(struct watch *w, const char *path);

/* One that only counts. */
void watch_quietly(struct watch *w);

/* A file was changed; nothing happens when nobody looks. */
void watch_change(struct call *c, const struct change *change,
		  const struct changed *changed);

#endif
