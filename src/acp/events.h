/*
 * events.h - tool calls as an editor sees them: session/update.
 *
 * In two dialects (A34): that of the contracts, to the letter (toolCall when a
 * call begins, toolCallUpdate when it ends), and that of ACP v1, which is what
 * editors know. Long texts are cut in the event only.
 */
#ifndef STET_ACP_EVENTS_H
#define STET_ACP_EVENTS_H

#include "tools/events.h"

enum {
	EVENTS_MOST = 10240, /* bytes of one text in an event */
	EVENTS_MOST_DIFF =
		256 * 1024, /* of each side of a diff; else as text */
};

enum events_dialect { EVENTS_ACP, EVENTS_CONTRACT };

/* Add the whole notification to @out, one line without its end. */
void events_begin(const struct tool_event *e, enum events_dialect dialect,
		  struct str session, struct buf *out);
void events_end(const struct tool_event *e, enum events_dialect dialect,
		struct str session, struct buf *out);

#endif
