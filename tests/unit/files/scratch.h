/*
 * scratch.h - a directory for one test, with a workspace on it.
 *
 * Beneath it are "root", which the workspace may use, "outside", which it
 * may not, and "state" for what it keeps privately. All goes at the end.
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

/* The path of @name beneath the base: "root/a". */
char *scratch_path(struct scratch *s, const char *name);
struct str scratch_str(struct scratch *s, const char *name);

void scratch_put(struct scratch *s, const char *name, const char *content);
void scratch_dir(struct scratch *s, const char *name);
void scratch_link(struct scratch *s, const char *to, const char *name);

/* What is in it; NULL when it cannot be read. */
const char *scratch_get(struct scratch *s, const char *name);

/* How many names the directory has. */
size_t scratch_names(struct scratch *s, const char *name);

/* Through the workspace; names as above. */
enum err scratch_load(struct scratch *s, const char *name, struct str *ret);
enum err scratch_store(struct scratch *s, const char *name, const char *content,
		       struct stored *ret);
enum err scratch_store_over(struct scratch *s, const char *name,
			    const char *old, const char *content);

/*
 * Run @fn in a child that is not root (when we are), with a root directory
 * that it owns. It answers 0, or the line of what went wrong.
 */
int scratch_as_nobody(struct scratch *s, int (*fn)(struct scratch *s));

#define need(claim)                      \
	do {                             \
		if (!(claim))            \
			return __LINE__; \
	} while (0)

#endif
