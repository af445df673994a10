/*
 * headers.h - what HTTP says of a message beside the message.
 *
 * Since 2026-07-28 a few headers repeat what is in the body, so that what is
 * on the way can route by them; they must agree with it.
 */
#ifndef STET_HEADERS_H
#define STET_HEADERS_H

#include "base/json.h"

/* Those that are not there have .ptr NULL. */
struct headers {
	struct str version; /* MCP-Protocol-Version */
	struct str method;  /* Mcp-Method */
	struct str name;    /* Mcp-Name */
	/* Any other, whatever the case of its name; NULL = there are none. */
	struct str (*find)(const struct headers *, const char *name);
};

/* NULL, or in which way they say something else than the body. */
must_check const char *headers_contradict(const struct headers *h,
					  struct json version,
					  struct str method, struct arena *mem);

/* NULL, or what is missing or not the name that the body has. */
must_check const char *headers_incomplete(const struct headers *h,
					  struct str method, struct json params,
					  struct arena *mem);

/*
 * NULL, or that an argument is not what its header says: those that the
 * tool's @schema marks with x-mcp-header are repeated in Mcp-Param-*.
 */
must_check const char *headers_differ(const struct headers *h,
				      struct str schema, struct json arguments,
				      struct arena *mem);

/*
 * The text of a header's value, which may be wrapped: "=?base64?...?=". False
 * when that cannot be undone.
 */
must_check bool headers_text(struct str value, struct arena *mem,
			     struct str *ret);

#endif
