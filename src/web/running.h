/*
 * running.h - the list of running servers, `server.json`.
 *
 * A server adds itself when it listens, and removes itself when it ends. The
 * entry of a server that crashed stays, so readers check that the process is
 * alive. The texts of faults are in @mem.
 */
#ifndef STET_RUNNING_H
#define STET_RUNNING_H

#include "base/err.h"

struct running {
	int64_t pid;
	struct str url;   /* "http://127.0.0.1:7717": for clients */
	struct str page;  /* the same, by a name that only the page has */
	struct str id;    /* guard_server_id(); sign-in links have it */
	struct str roots; /* the directories that it serves, for people */
};

/* Adds this process; @self->pid is ignored. URLs have no "/" at the end. */
must_check enum err running_write(struct str dir, const struct running *self,
				  struct arena *mem, struct fault *f);

/*
 * All running servers, the latest to start last: at least one. ERR_NOT_FOUND
 * when there is none, with the reason in the fault's hint; ERR_BAD_CONFIG when
 * the file is not private.
 */
must_check enum err running_list(struct str dir, struct arena *mem,
				 struct running **ret, size_t *ret_n,
				 struct fault *f);

/* The same for the latest alone. */
must_check enum err running_read(struct str dir, struct arena *mem,
				 struct running *ret, struct fault *f);

/* This process ends: its entry goes, and the file with the last one. */
void running_remove(struct str dir);

#endif
