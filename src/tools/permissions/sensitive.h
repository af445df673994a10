/*
 * sensitive.h - the table of sensitive paths: changing them needs an approval,
 * and reading those with secrets as well.
 *
 * Each row has its reason: the content is secret, is run by another program, or
 * controls access. `stet rules` prints the table, and docs/permissions.md has it
 * (a test compares both).
 *
 * Names that no ordinary directory has match anywhere in the absolute path, so
 * that no choice of roots hides them. Patterns that ordinary directories may
 * match ("secret-project", ".envs") count only beneath the directories that the
 * person named: see base in rules.h.
 */
#ifndef STET_SENSITIVE_H
#define STET_SENSITIVE_H

#include "tools/permissions/rules.h"

/* Why a path is sensitive. */
enum sensitive_kind {
	SENSITIVE_SECRET, /* its content is secret */
	SENSITIVE_RUNS,   /* a program executes it, or commands named in it */
	SENSITIVE_ACCESS, /* controls access or authentication */
};

/* Where in a path the pattern counts. */
enum sensitive_scope {
	SENSITIVE_ANYWHERE, /* every component of the absolute path */
	SENSITIVE_BENEATH,  /* components beneath the base of struct rules */
	SENSITIVE_LAST,     /* the last component only */
};

struct sensitive {
	struct rule rule;
	enum sensitive_kind kind;
	enum sensitive_scope scope;
	const char *reason;
	bool reads; /* reading needs an approval, too: rule.tool is "*" */
	/* Endings of files that may be read; ends with NULL, or NULL */
	const char *const *open;
};

extern const struct sensitive sensitive_rows[];
extern const size_t sensitive_count;

const char *sensitive_kind_name(enum sensitive_kind kind);
const char *sensitive_scope_name(enum sensitive_scope scope);

/* The row that this change or read matches, or NULL. */
const struct sensitive *sensitive_find(const struct rules *r,
				       const struct action *d);

/*
 * May reading a file need approval because of this name, be it that of the file
 * or of a directory above? Names that are not plain (caseless.h) always may.
 */
bool sensitive_may_ask(struct str name);

/* The row that the directory itself matches, or NULL. */
const struct sensitive *sensitive_place(struct str dir);

/*
 * Treat the directory @real (without symlinks) as a ".git": the ".git" of a
 * root leads there. Kept until the process ends; at most 256 of them.
 */
void sensitive_add_git(struct str real);

#endif
