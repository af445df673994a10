/*
 * audit.h - the audit log: one line of JSON per call, in a file of the person.
 *
 *	{"time":"2026-01-15T10:30:00Z","tool":"edit_text_file",
 *	 "parameters":["path","old_string","new_string"],"path":"/p/f",
 *	 "code":0,"result":"OK","user_approved":false,
 *	 "client":"codex 0.166.0","token":"ci","who":"...",
 *	 "session":"...","id":"7","duration_ms":2}
 *
 * Names of parameters, never their values except the path; unknown names are
 * written as "?". code is the error code, or 0.
 */
#ifndef STET_AUDIT_H
#define STET_AUDIT_H

#include "base/linefile.h"
#include "tools/call/events.h"

struct audit {
	struct event_sink sink; /* first: the sink is cast to the audit log */
	struct linefile file;
};

/* 0, or an errno value. Closed by event_sink.close. */
must_check int audit_open(struct audit *a, const char *path);

#endif
