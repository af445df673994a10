/*
 * undo_report.h - what `stet undo` and `stet redo` print: the outcome for each
 * file, and the command that reverses it.
 */
#ifndef STET_UNDO_REPORT_H
#define STET_UNDO_REPORT_H

#include "app/history_cli.h"

/* One file, or all that a call changed when they could not be undone. */
struct undo_outcome {
	struct op op;
	size_t files;       /* with a fault: how many */
	struct fault fault; /* .err 0 = success */
	struct undone undone;
	size_t rest; /* files of the call that were left, in its last one */
};

struct outcomes {
	struct undo_outcome *items;
	size_t n, done, already, conflicts, failed;
	struct undo_preview preview; /* filled by --dry-run */
};

/* Prints the outcomes, as JSON with --json; returns the exit status. */
int undo_report(struct history_cli *p, const struct outcomes *all);

#endif
