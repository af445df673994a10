/*
 * confine.h - give up, for good, what this process does not need.
 *
 * Landlock: the files that may still be opened, no connections, no signals to
 * other processes. seccomp: the system calls of syscalls.def. And no new
 * privileges, no core files, no look at our memory by other processes of the
 * same user. What the kernel does not have is left out and told; nothing of it
 * can be taken back.
 *
 * Landlock holds for the calling thread and those it starts later: confine
 * before the first thread. Descriptors that are open already keep working.
 */
#ifndef STET_CONFINE_H
#define STET_CONFINE_H

#include "base/buf.h"

enum confine_access {
	CONFINE_LIST,  /* only the names in directories beneath it */
	CONFINE_READ,  /* files and directories beneath it */
	CONFINE_WRITE, /* and change them */
};

/* A file or a directory; one that is not there is left out. */
struct confine_path {
	const char *path;
	enum confine_access access;
};

struct confine_want {
	const struct confine_path *paths;
	size_t count;
	bool port;     /* accept connections on sockets that listen already */
	bool landlock; /* else without it */
	bool seccomp;  /* likewise */
};

struct confine_state {
	int landlock; /* its version; 0 = not in force */
	bool network; /* Landlock also forbids TCP */
	bool scoped;  /* and signals to others, and abstract sockets */
	bool seccomp, no_new_privs;
};

/*
 * Whatever of it the kernel has. *@ret says what is in force now, and so does
 * confine_now() from then on.
 */
void confine(const struct confine_want *want, struct confine_state *ret);
struct confine_state confine_now(void);

/* What confine() could do here; nothing is changed. */
struct confine_state confine_possible(void);

/* "Landlock 7 (files, network, signals), seccomp, no new privileges" */
void confine_say(const struct confine_state *s, struct buf *out);

/* No core files, and not to be looked into; for programs with secrets. */
void confine_memory(void);

#endif
