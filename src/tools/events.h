/*
 * events.h - somebody who wants to see calls begin and end.
 *
 * The dispatcher tells a sink of every call: begin once, then end once, in
 * that order, whatever happens in between; on the thread of the call. Tools
 * know nothing of it.
 */
#ifndef STET_EVENTS_H
#define STET_EVENTS_H

#include "tools/tool.h"

struct tool_event {
	const struct tool *tool;
	struct str id;         /* of the call */
	struct json arguments; /* as they were given */
	const struct call *call;
	const struct fault *fault; /* at the end: NULL = it went well */
	uint64_t began;            /* clock_ms() */
};

struct event_sink {
	void (*begin)(struct event_sink *, const struct tool_event *);
	void (*end)(struct event_sink *, const struct tool_event *);
	void (*close)(struct event_sink *); /* no more of them; may be NULL */
	struct event_sink *next;            /* who else; NULL = nobody */
	/* It waits for the person; any number of times; may be NULL. */
	void (*asks)(struct event_sink *, const struct tool_event *);
};

#endif
