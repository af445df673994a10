/*
 * access.h - what tools may do with a file, in words for the person.
 *
 * The verdicts are those of rules_decide() for every tool, with the ignore
 * files and the table of sensitive paths; nothing is decided here. What the
 * person has granted does not count: a grant belongs to one client.
 */
#ifndef STET_ACCESS_H
#define STET_ACCESS_H

#include "tools/rules.h"

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
	bool content; /* tools read it without asking, and it is not sensitive */
};

/* What is judged. */
struct access_want {
	const struct rules *rules; /* NULL = there are none */
	struct workspace *ws;
	struct str path, key; /* as given and without links */
	bool directory;       /* judged is a new file in it, of any name */
	bool own;
};

void access_of(const struct access_want *want, struct arena *mem,
	       struct access *ret);

#endif
