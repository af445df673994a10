/*
 * bridge_place.h - where the socket of a bridge is: in a directory that only
 * this user may enter.
 */
#ifndef STET_BRIDGE_PLACE_H
#define STET_BRIDGE_PLACE_H

#include "base/arena.h"

/* A socket that listens, or -1 with errno; what was made is told anyway. */
must_check int bridge_place(struct arena *mem, char **dir, struct str *path);

#endif
