/*
 * pretty.h - JSON for people: indented, one member a line.
 */
#ifndef STET_PRETTY_H
#define STET_PRETTY_H

#include "base/json.h"

/* Add @json, one valid value, to @out; short objects stay on one line. */
void pretty_json(struct str json, struct buf *out);

#endif
