/*
 * bridge_listen.h - the socket of the bridge, in a directory of mode 0700.
 */
#ifndef STET_BRIDGE_LISTEN_H
#define STET_BRIDGE_LISTEN_H

#include "base/arena.h"

/*
 * A listening socket, or -1 with errno. *@dir and *@path are set as far as they
 * were created, also on failure.
 */
must_check int bridge_listen(struct arena *mem, char **dir, struct str *path);

#endif
