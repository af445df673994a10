/*
 * headers.h - the HTTP headers of a message, compared with its body.
 *
 * Since 2026-07-28 some headers repeat parts of the body, so that proxies can
 * route by them; a message whose headers contradict its body is refused.
 */
#ifndef STET_HEADERS_H
#define STET_HEADERS_H

#include "base/json.h"

/* A missing header has .ptr NULL. */
struct headers {
	struct str version; /* MCP-Protocol-Version */
	struct str method;  /* Mcp-Method */
	struct str name;    /* Mcp-Name */
	/* Any other header, by its case-insensitive name; may be NULL. */
	struct str (*find)(const struct headers *, const char *name);
};

/* NULL, or the message for a version or method unlike the body's. */
must_check const char *headers_contradict(const struct headers *h,
					  struct json version,
					  struct str method, struct arena *mem);

/* NULL, or the message for a missing header or an unlike Mcp-Name. */
must_check const char *headers_incomplete(const struct headers *h,
					  struct str method, struct json params,
					  struct arena *mem);

/*
 * NULL, or the message for an argument unlike its header: arguments that the
 * tool's @schema marks with x-mcp-header are repeated in Mcp-Param-*.
 */
must_check const char *headers_differ(const struct headers *h,
				      struct str schema, struct json arguments,
				      struct arena *mem);

/*
 * The text of a header's value, decoded if it is "=?base64?...?=". False for
 * invalid base64.
 */
must_check bool headers_text(struct str value, struct arena *mem,
			     struct str *ret);

#endif
