/*
 * events.h - tool calls as session/update notifications.
 *
 * In two dialects (A34): that of the contracts (toolCall at the begin of a
 * call, toolCallUpdate at its end), and that of ACP v1, which editors support.
 * Long texts are truncated in the event only.
 */
#ifndef STET_ACP_EVENTS_H
#define STET_ACP_EVENTS_H

#include "tools/call/events.h"

enum {
	EVENTS_MOST = 10240, /* bytes of one text in an event */
	EVENTS_MOST_DIFF =
		256 * 1024, /* of each side of a diff; larger ones as text */
};

enum events_dialect { EVENTS_ACP, EVENTS_CONTRACT };

/* Append the notification to @out, one line without its newline. */
void events_begin(const struct tool_event *e, enum events_dialect dialect,
		  struct str session, struct buf *out);
void events_end(const struct tool_event *e, enum events_dialect dialect,
		struct str session, struct buf *out);

#endif
