/*
 * settings_writer.h - a process that edits the person's settings for a confined
 * server.
 *
 * A confined server cannot write the settings (docs/confinement.md). So a
 * server with a page forks this process before. It can do three things, to one
 * file that is fixed at the start: read it, add a rule, remove a rule. It cannot
 * change hooks, modes or any other setting, and is itself confined to the
 * directory of that file (docs/decisions/018-settings-from-the-page.md).
 */
#ifndef STET_SETTINGS_WRITER_H
#define STET_SETTINGS_WRITER_H

#include "app/rulefile.h"

/*
 * Call it before the server is confined and before it has threads. @confined =
 * apply the seccomp filter; @landlock = restrict files as well.
 */
must_check bool settings_writer_start(struct str path, bool confined,
				      bool landlock);

/*
 * Returns the text of the file, after applying @change if that is not NULL. Any
 * thread. ERR_NOT_FOUND = there is no file; else as rulefile_change().
 */
must_check enum err settings_writer_ask(const struct rule_change *change,
					struct arena *mem, struct str *ret,
					struct fault *f);

#endif
