/*
 * ignored.h - do the project's own ignore files leave a file alone?
 *
 * Read at use, through the workspace, from the root down to the file's own
 * directory, as git reads .gitignore. Each name (.stetignore, .claudeignore
 * ...) is on its own: one cannot take back what another says.
 */
#ifndef STET_IGNORED_H
#define STET_IGNORED_H

#include "tools/rules.h"

/* Those that are always looked for; with_gitignore has .gitignore too. */
extern const char *const ignore_file_names[];
extern const char *const ignore_file_names_with_gitignore[];

/*
 * The file and line that leave it alone, "/w/src/.stetignore:3", for
 * d->ignored; "" = none does. One that is there and cannot be read leaves all
 * that is beneath it alone. @d has been placed.
 */
struct str ignored_by(const struct rules *r, struct workspace *ws,
		      const struct deed *d, struct arena *mem);

#endif
