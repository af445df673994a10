/*
 * roots.h - asking a client which directories it works in (older MCP).
 */
#ifndef STET_ROOTS_ASK_H
#define STET_ROOTS_ASK_H

#include "rpc/job.h"

/* Send roots/list if the client has it and the server wants to know. */
void roots_ask(struct job *job);

/* Is this response the answer? Then take it. */
void roots_answer(struct job *job);

/* The path of a file: URI, decoded; false when it is none on this host. */
must_check bool roots_path(struct str uri, struct arena *mem, struct str *ret);

#endif
