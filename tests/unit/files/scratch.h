/*
 * scratch.h - a directory for one test, with a workspace on it.
 *
 * It contains "root", the only root of the workspace, "outside", and "state"
 * for the private directories. All of it is deleted at the end.
 */
#ifndef STET_SCRATCH_H
#define STET_SCRATCH_H

#include "../unit.h"

#include "files/ws_local.h"

struct scratch {
	char *base;
	struct str root;
	struct workspace *ws;
	struct arena mem;
	struct fault f;
	enum durability durability;
};

#define auto_scratch cleanup(scratch_end) struct scratch

struct scratch scratch_make(void);
void scratch_end(struct scratch *s);

/* The absolute path of @name, as in "root/a". */
char *scratch_path(struct scratch *s, const char *name);
struct str scratch_str(struct scratch *s, const char *name);

void scratch_put(struct scratch *s, const char *name, const char *content);
void scratch_dir(struct scratch *s, const char *name);
void scratch_link(struct scratch *s, const char *to, const char *name);

/* The content of a file; NULL when it cannot be read. */
const char *scratch_get(struct scratch *s, const char *name);

/* The number of entries in a directory. */
size_t scratch_names(struct scratch *s, const char *name);

/* The same through the workspace. */
enum err scratch_load(struct scratch *s, const char *name, struct str *ret);
enum err scratch_store(struct scratch *s, const char *name, const char *content,
		       struct stored *ret);
enum err scratch_store_over(struct scratch *s, const char *name,
			    const char *old, const char *content);

/*
 * Run @fn in a child process without root privileges, with a root directory
 * that it owns. Returns 0, or the line of the need() that failed.
 */
int scratch_as_nobody(struct scratch *s, int (*fn)(struct scratch *s));

#define need(claim)                      \
	do {                             \
		if (!(claim))            \
			return __LINE__; \
	} while (0)

#endif
