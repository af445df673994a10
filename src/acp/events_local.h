/*
 * events_local.h - what the two dialects of events share.
 */
#ifndef STET_EVENTS_LOCAL_H
#define STET_EVENTS_LOCAL_H

#include "acp/events.h"

/* What was cut, to be told beside the object that it was cut from. */
struct events_cut {
	size_t total;
};

void events_text(struct json_out *o, const char *key, struct str text);

/* The notification up to the members of `update`, and what ends it. */
void events_open(struct json_out *o, struct str session);
void events_close(struct json_out *o);

/* rawInput, rawOutput; then what was cut of them (A38). */
void events_input(struct json_out *o, const struct tool_event *e,
		  struct arena *mem, struct events_cut *cut);
void events_output(struct json_out *o, const struct tool_event *e,
		   struct arena *mem, struct events_cut *cut);
void events_cut_note(struct json_out *o, const struct events_cut *cut);

void events_acp_begin(const struct tool_event *e, struct str session,
		      struct buf *out);
void events_acp_end(const struct tool_event *e, struct str session,
		    struct buf *out);

#endif
