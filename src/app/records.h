/*
 * records.h - the optional log files: --audit and --events.
 */
#ifndef STET_RECORDS_H
#define STET_RECORDS_H

#include "app/config.h"

/* Open those that are wanted, and put them before the server's own events. */
must_check enum err records_open(const struct config *c, struct server *s,
				 struct arena *mem, struct fault *f);
void records_close(struct server *s);

#endif
