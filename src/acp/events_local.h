/*
 * events_local.h - internals shared by both dialects of events.
 */
#ifndef STET_EVENTS_LOCAL_H
#define STET_EVENTS_LOCAL_H

#include "acp/events.h"

/* Total size of the truncated texts, reported in _meta. */
struct events_cut {
	size_t total;
};

void events_text(struct json_out *o, const char *key, struct str text);

/* Open and close the notification around the members of `update`. */
void events_open(struct json_out *o, struct str session);
void events_close(struct json_out *o);

/* rawInput, rawOutput, and the note about truncated texts (A38). */
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
