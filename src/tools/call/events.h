/*
 * events.h - the interface for observers of tool calls.
 *
 * The dispatcher reports every call to each sink: begin once, asks whenever it
 * waits for an approval, then end once. Sinks run on the thread of the call,
 * several at a time. Tools do not know of them.
 */
#ifndef STET_EVENTS_H
#define STET_EVENTS_H

#include "tools/call/tool.h"

struct tool_event {
	const struct tool *tool;
	struct str id;         /* of the call */
	struct json arguments; /* before decoding */
	const struct call *call;
	const struct fault *fault; /* at the end: NULL = success */
	uint64_t began;            /* clock_ms() */
};

struct event_sink {
	void (*begin)(struct event_sink *, const struct tool_event *);
	void (*end)(struct event_sink *, const struct tool_event *);
	void (*close)(struct event_sink *); /* at shutdown; may be NULL */
	struct event_sink *next;            /* list of sinks */
	/* The call waits for an approval; any number of times; may be NULL. */
	void (*asks)(struct event_sink *, const struct tool_event *);
};

#endif
