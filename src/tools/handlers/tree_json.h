/*
 * tree_json.h - writes the entries of a walk as nested JSON, indented by two
 * blanks, as they come.
 *
 *	[
 *	  {
 *	    "name": "src",
 *	    "type": "directory",
 *	    "children": []
 *	  }
 *	]
 *
 * A directory whose entries are only counted has "more": N and no children.
 */
#ifndef STET_TREE_JSON_H
#define STET_TREE_JSON_H

#include "base/buf.h"

/* The entry that was written last. */
enum tree_json_last {
	TREE_JSON_FILE,
	TREE_JSON_OPEN,    /* a directory: its entries follow, if it has any */
	TREE_JSON_COUNTED, /* a directory: its entries are counted */
};

struct tree_json {
	struct buf text;
	unsigned depth; /* of the last entry */
	enum tree_json_last last;
	size_t counted; /* entries of the last directory */
	size_t entries;
};

/*
 * Write an entry at @depth, 0 for the first level. Entries come in the order of
 * a walk: each one behind its directory.
 */
void tree_json_add(struct tree_json *j, unsigned depth, struct str name,
		   enum tree_json_last kind);

/* Take back what was added since *@j was copied to @before. */
void tree_json_undo(struct tree_json *j, const struct tree_json *before);

/* The end of the text. */
void tree_json_end(struct tree_json *j);

#endif
