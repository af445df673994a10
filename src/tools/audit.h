/*
 * audit.h - one line for each call, in a file that the person keeps.
 *
 *	{"time":"2026-01-15T10:30:00Z","tool":"edit_text_file",
 *	 "parameters":["path","old_string","new_string"],"path":"/p/f",
 *	 "code":0,"result":"OK","user_approved":false,
 *	 "client":"codex 0.166.0","token":"ci","who":"...",
 *	 "session":"...","id":"7","duration_ms":2}
 *
 * Names of parameters and never their values, but for the path; names that no
 * tool has are "?". code is that of the error, or 0.
 */
#ifndef STET_AUDIT_H
#define STET_AUDIT_H

#include "base/linefile.h"
#include "tools/events.h"

struct audit {
	struct event_sink sink; /* first: the one is cast to the other */
	struct linefile file;
};

/* 0, or an errno value. Closed by its sink. */
must_check int audit_open(struct audit *a, const char *path);

#endif
