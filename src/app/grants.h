/*
 * grants.h - what the person has allowed beyond one call, on the command
 * line: the list, and taking back.
 */
#ifndef STET_APP_GRANTS_H
#define STET_APP_GRANTS_H

#include "store/approvals.h"

struct grants_want {
	bool json;
	/* of which grants; all of these narrow, and none of them is none */
	bool all;
	struct str client; /* "" = not by client */
	const struct str *id;
	size_t id_count; /* ids, or the first digits of them */
};

/* Print them; the exit status. */
int grants_list(struct store *s, const struct grants_want *want);

/* Revoke those, or none when one of the ids fits none or several. */
int grants_revoke(struct store *s, const struct grants_want *want);

/* What it covers, with absolute paths and local times. */
struct str grants_sentence(const struct grant *g, uint64_t now_ms,
			   struct arena *mem);

#endif
