/*
 * tree_beneath.h - what lies beneath a directory that is changed as a whole.
 */
#ifndef STET_TREE_BENEATH_H
#define STET_TREE_BENEATH_H

#include "tools/call/tool.h"

/* Everything beneath a directory, by key; files are all but directories. */
struct tree_beneath {
	struct str key; /* of the directory */
	struct str *files;
	size_t n;
	struct str *dirs;
	size_t dir_count;
};

/*
 * List it. ERR_DENIED when a directory cannot be read, or is one that no tool
 * may enter: nobody could say what would happen to it. @path is for the fault.
 */
must_check enum err tree_beneath_read(struct call *c, struct str path,
				      struct str key, struct tree_beneath *ret);

/* The same files with the directory at @key. */
struct tree_beneath tree_beneath_at(const struct tree_beneath *b,
				    struct str key, struct arena *mem);

#endif
