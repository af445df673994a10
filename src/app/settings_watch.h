/*
 * settings_watch.h - watches the person's settings file while a server runs.
 *
 * It also tells the page where each setting comes from.
 *
 * The file is checked once a second. A change takes effect at once, except for
 * hooks, history and approvals, which need a restart. A file with a mistake, or
 * a deleted one, changes nothing: the previous rules stay in force, and the page
 * says so.
 */
#ifndef STET_SETTINGS_WATCH_H
#define STET_SETTINGS_WATCH_H

#include "app/config.h"
#include "web/settings.h"

/*
 * Starts the process that reads and writes the file (settings_writer.h): call it
 * before the server is confined or has threads. @s and @c must outlive it. There
 * is one per process, and it is never freed.
 */
const struct settings_source *settings_watch_open(struct server *s,
						  const struct config *c,
						  struct arena *mem);

#endif
