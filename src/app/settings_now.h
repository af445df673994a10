/*
 * settings_now.h - the settings of a running server: what comes from where, and
 * how a change of the person's file is noticed and taken over.
 *
 * The file is looked at once a second. What is in it counts from then on, but
 * for hooks, history and approvals, which wait for a restart. A file with a
 * mistake, or one that is gone, changes nothing: the rules that were read
 * before go on, and the page says so.
 */
#ifndef STET_SETTINGS_NOW_H
#define STET_SETTINGS_NOW_H

#include "app/config.h"
#include "web/settings.h"

/*
 * Starts the process that reads and writes the file: call it before the server
 * is confined or has threads. @s and @c must outlive it; it is never freed, as
 * there is one for the process.
 */
const struct settings_source *settings_now_open(struct server *s,
						const struct config *c,
						struct arena *mem);

#endif
