/*
 * log_lines.h - the lines of `stet log`: one for an operation, and one for all
 * that a call changed in several files.
 */
#ifndef STET_LOG_LINES_H
#define STET_LOG_LINES_H

#include "app/history_cli.h"
#include "app/screen.h"

/* @ops is newest first; with --files also those of each group. */
void log_lines(struct history_cli *p, struct screen *s, const struct op *ops,
	       size_t n);

/* What @op undoes, and whether it is in effect: ", undoes 1234 (undone)". */
void log_flags(struct history_cli *p, struct screen *s, const struct op *op);

/* "89abcdef: change every file in src/ · codex · until you revoke it"; "" */
struct str log_grant(struct history_cli *p, const struct op *op);

#endif
