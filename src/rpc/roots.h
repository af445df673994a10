/*
 * roots.h - asks a client for its roots (MCP before 2026-07-28).
 */
#ifndef STET_ROOTS_ASK_H
#define STET_ROOTS_ASK_H

#include "rpc/job.h"

/* Send roots/list if the client declared roots and take_roots is set. */
void roots_ask(struct job *job);

/* Take the response to roots/list; ignore any other. */
void roots_answer(struct job *job);

/* The decoded path of a file: URI; false for another scheme or host. */
must_check bool roots_path(struct str uri, struct arena *mem, struct str *ret);

#endif
