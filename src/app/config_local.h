/*
 * config_local.h - shared by config.c and config_roots.c only.
 */
#ifndef STET_CONFIG_LOCAL_H
#define STET_CONFIG_LOCAL_H

#include "app/config.h"

#include <pthread.h>

/* A server with the parts of it that belong to this layer. */
struct configured {
	struct server server;
	const struct config *config;
	struct policy *policy;
	struct budget budget, caches;
	struct workspace
		*disk; /* server.ws may have been replaced by an editor's */
	bool warned_full; /* the warning that roots cannot change any more was printed */
	const char *_Atomic roots_origin;
	pthread_mutex_t
		policy_lock; /* held while a new generation of rules is built */
};

/* Serves the roots that a client declared, or keeps the current ones. */
void config_take_roots(struct server *s, const struct str *dirs, size_t n);

#endif
