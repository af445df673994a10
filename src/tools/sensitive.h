/*
 * sensitive.h - the paths that a person is asked for before they are changed,
 * and those with secrets also before they are read.
 *
 * One table, each row with its reason: what is there is secret, is run by
 * somebody else's program, or lets somebody in. `stet rules` shows it, and
 * docs/permissions.md has it (a test compares both).
 *
 * Names that nobody gives to an ordinary directory count wherever they stand
 * in the absolute path, so that no choice of a root hides them. Patterns that
 * ordinary directories may fit ("secret-project", ".envs") count only beneath
 * the directories that the person named: see rules.h, base.
 */
#ifndef STET_SENSITIVE_H
#define STET_SENSITIVE_H

#include "tools/rules.h"

/* Why a path is asked for. */
enum sensitive_kind {
	SENSITIVE_SECRET, /* what is in it is secret */
	SENSITIVE_RUNS,   /* a program runs what it says, or by what it says */
	SENSITIVE_ACCESS, /* it says who gets in, or what is kept off */
};

/* Where in a path the pattern counts. */
enum sensitive_scope {
	SENSITIVE_ANYWHERE, /* every name of the absolute path */
	SENSITIVE_BENEATH,  /* names beneath what the person named */
	SENSITIVE_LAST,     /* the file's own name alone */
};

struct sensitive {
	struct rule rule;
	enum sensitive_kind kind;
	enum sensitive_scope scope;
	const char *reason;
	bool reads; /* asked for before it is read as well: rule.tool is "*" */
	/* Endings of files that are read all the same; ends with NULL, or NULL */
	const char *const *open;
};

extern const struct sensitive sensitive_rows[];
extern const size_t sensitive_count;

const char *sensitive_kind_name(enum sensitive_kind kind);
const char *sensitive_scope_name(enum sensitive_scope scope);

/* The row by which this change, or this read, is asked for, or NULL. */
const struct sensitive *sensitive_find(const struct rules *r,
				       const struct deed *d);

/* The row that makes the directory itself sensitive, or NULL. */
const struct sensitive *sensitive_place(struct str dir);

/*
 * Count the directory @real (without links) as a ".git" from now on: a root's
 * ".git" leads there. Kept as long as the process runs; at most 256.
 */
void sensitive_add_git(struct str real);

#endif
