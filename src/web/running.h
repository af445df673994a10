/*
 * running.h - where the server is: `server.json` of the state directory.
 *
 * Written by the server when it listens, removed when it ends. One that died
 * leaves it behind, so whoever reads it also looks whether that process is
 * still there. The latest one to start has it; the words of faults are in
 * @mem.
 */
#ifndef STET_RUNNING_H
#define STET_RUNNING_H

#include "base/err.h"

struct running {
	int64_t pid;
	struct str url;  /* "http://127.0.0.1:7717": for clients */
	struct str page; /* the same, by a name that only the page has */
	struct str id;   /* guard_server_id(): links are made for it */
};

/* This process is @self, but for the pid; URLs have no "/" at the end. */
must_check enum err running_write(struct str dir, const struct running *self,
				  struct arena *mem, struct fault *f);

/*
 * ERR_NOT_FOUND when there is none, with why in the fault's hint;
 * ERR_BAD_CONFIG when the file is not to be used.
 */
must_check enum err running_read(struct str dir, struct arena *mem,
				 struct running *ret, struct fault *f);

/* This process does not any more: the file goes if it is its own. */
void running_remove(struct str dir);

#endif
