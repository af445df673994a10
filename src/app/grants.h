/*
 * grants.h - list and revoke grants on the command line.
 */
#ifndef STET_APP_GRANTS_H
#define STET_APP_GRANTS_H

#include "store/approvals.h"

struct grants_want {
	bool json;
	/* filters, combined by AND; without any filter nothing is selected */
	bool all;
	struct str client; /* "" = any client */
	const struct str *id;
	size_t id_count; /* ids, or prefixes of ids */
};

/* Prints the selected grants; returns the exit status. */
int grants_list(struct store *s, const struct grants_want *want);

/* Revokes the selected grants; none if an id is unknown or ambiguous. */
int grants_revoke(struct store *s, const struct grants_want *want);

/* What the grant covers, in words, with absolute paths and local times. */
struct str grants_sentence(const struct grant *g, uint64_t now_ms,
			   struct arena *mem);

#endif
