/*
 * access.h - which access tools have to a file, for the page.
 *
 * Summarizes rules_decide() for every tool, the ignore files and the table of
 * sensitive paths; nothing is decided here. Grants are left out, because a grant
 * belongs to one client.
 */
#ifndef STET_ACCESS_H
#define STET_ACCESS_H

#include "tools/permissions/rules.h"

enum { ACCESS_MARKS = 8 };

/*
 * own        one of stet's own files
 * hidden     no tool may see it
 * asks-read  the person is asked before it is read
 * denied     it may not be changed, by a rule
 * ignored    it may not be changed, by an ignore file or the settings
 * asks       the person is asked before it is changed, by a rule
 * sensitive  a row of the table in sensitive.h
 */
struct access_mark {
	const char *mark;
	struct str why; /* the rule, file and line, or row */
};

struct access {
	struct access_mark mark[ACCESS_MARKS];
	size_t count;
	bool content; /* readable without approval, and not sensitive */
};

/* The file or directory in question. */
struct access_want {
	const struct rules *rules; /* NULL = there are none */
	struct workspace *ws;
	struct str path, key; /* as given and without symlinks */
	bool directory; /* check a new file in the directory, of any name */
	bool own;
};

/*
 * Does @tool read the content of a file, or, with @changes, change it? Tools of
 * the history do not read content.
 */
bool access_needs(const struct tool *tool, bool changes);

void access_of(const struct access_want *want, struct arena *mem,
	       struct access *ret);

#endif
