/*
 * confine.h - drop privileges that this process does not need, irrevocably.
 *
 * Landlock: which files may still be opened, no connections, no signals to
 * other processes. seccomp: the system calls of syscalls.def. Also no new
 * privileges, no core files, and no ptrace by other processes of the same user.
 * Features that the kernel lacks are left out and reported.
 *
 * Landlock applies to the calling thread and those it starts later: confine
 * before the first thread. Open descriptors keep working.
 */
#ifndef STET_CONFINE_H
#define STET_CONFINE_H

#include "base/buf.h"

enum confine_access {
	CONFINE_LIST,  /* list directories beneath the path */
	CONFINE_READ,  /* read files and directories beneath it */
	CONFINE_WRITE, /* read and change them */
};

/* A file or directory; ignored when it does not exist. */
struct confine_path {
	const char *path;
	enum confine_access access;
};

struct confine_options {
	const struct confine_path *paths;
	size_t count;
	bool port;     /* allow accept() on listening sockets */
	bool landlock; /* use Landlock */
	bool seccomp;  /* use seccomp */
};

struct confine_state {
	int landlock; /* ABI version; 0 = not in force */
	bool network; /* Landlock forbids TCP */
	bool scoped;  /* Landlock forbids signals and abstract sockets */
	bool seccomp, no_new_privs;
};

/*
 * Confine the process as far as the kernel supports it. *@ret and, from then
 * on, confine_now() say what is in force.
 */
void confine(const struct confine_options *want, struct confine_state *ret);
struct confine_state confine_now(void);

/* What confine() could enforce here; changes nothing. */
struct confine_state confine_possible(void);

/* "Landlock 7 (files, network, signals), seccomp, no new privileges" */
void confine_describe(const struct confine_state *s, struct buf *out);

/* No core files and no ptrace, for programs with secrets. */
void confine_memory(void);

#endif
