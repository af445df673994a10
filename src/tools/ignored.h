/*
 * ignored.h - do the project's own ignore files leave a file alone?
 *
 * Looked at with every use, through the workspace, from the root down to the
 * file's own directory, as git does with .gitignore; read and compiled when
 * they are new (patterns.h). Each name (.stetignore, .claudeignore ...) is on
 * its own: one cannot take back what another says.
 */
#ifndef STET_IGNORED_H
#define STET_IGNORED_H

#include "tools/rules.h"

/* Those that are always looked for; with_gitignore has .gitignore too. */
extern const char *const ignore_file_names[];
extern const char *const ignore_file_names_with_gitignore[];

/*
 * The file and line that leave it alone, "/w/src/.stetignore:3", for
 * d->ignored; "" = none does. One that is there and cannot be read, or not
 * within the budgets of patterns.h, leaves all that is beneath it alone: then
 * it says what is wrong with it. @d has been placed. @errand, which may be
 * NULL, can give up; what is then said does not matter.
 */
struct str ignored_by(const struct rules *r, struct workspace *ws,
		      const struct deed *d, const struct errand *errand,
		      struct arena *mem);

#endif
