/*
 * settings_writer.h - a process that reads and changes the person's settings
 * for a server that no longer may.
 *
 * A confined server cannot write the settings (docs/confinement.md). So one
 * with a page forks this process first. It does three things, to one file that
 * was chosen before: read it, add a rule, remove a rule. It cannot be asked for
 * hooks, modes or anything else that settings hold, and it is confined itself,
 * to the directory of that file (docs/decisions/018-settings-from-the-page.md).
 */
#ifndef STET_SETTINGS_WRITER_H
#define STET_SETTINGS_WRITER_H

#include "app/rulefile.h"

/*
 * Before the server is confined, and before it has threads. @confined: limit
 * it as the server will be; @landlock: files as well.
 */
must_check bool settings_writer_start(struct str path, bool confined,
				      bool landlock);

/*
 * What is in the file now; with @change not NULL, after that. Any thread.
 * ERR_NOT_FOUND: there is no file. Else as rulefile_change().
 */
must_check enum err settings_writer_ask(const struct rule_change *change,
					struct arena *mem, struct str *ret,
					struct fault *f);

#endif
