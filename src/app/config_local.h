/*
 * config_local.h - what config.c and config_roots.c share; nobody else
 * includes it.
 */
#ifndef STET_CONFIG_LOCAL_H
#define STET_CONFIG_LOCAL_H

#include "app/config.h"

#include <pthread.h>

/* The server, and what of it only this layer knows. */
struct configured {
	struct server server;
	const struct config *config;
	struct policy *policy;
	struct budget budget, caches;
	struct workspace *disk; /* server.ws may be an editor's by now */
	bool told_full;         /* that the roots can be changed no more */
	const char *_Atomic roots_origin;
	pthread_mutex_t policy_lock; /* held while new rules are made */
};

/* The client said where it works: serve that, or stay where we are. */
void config_take_roots(struct server *s, const struct str *dirs, size_t n);

#endif
