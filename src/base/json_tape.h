/*
 * json_tape.h - the layout of a parsed JSON document. Private to json*.c.
 *
 * Values are on the tape in the order of the text, a container before its
 * members, a key before its value. @next is the index after all nodes that
 * belong to a node.
 */
#ifndef STET_JSON_TAPE_H
#define STET_JSON_TAPE_H

#include "base/json.h"
#include "base/json_kernels.h"

enum { JSON_COUNT_BITS = 24 };

struct json_node {
	uint32_t start, len; /* byte range in the text, quotes included */
	uint32_t next;       /* index after this node and its members */
	uint32_t kind : 4;   /* enum json_kind */
	uint32_t flags : 4;  /* of a string: JSON_ESCAPED ... */
	uint32_t count : JSON_COUNT_BITS; /* members of a container */
};

_Static_assert(sizeof(struct json_node) == 16, "a node is 16 bytes");

struct json_doc {
	const char *text;
	struct json_node *nodes;
};

static inline const struct json_node *json_node(struct json v)
{
	return v.doc ? &v.doc->nodes[v.at] : NULL;
}

#endif
