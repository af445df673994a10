/*
 * instructions.h - the member "instructions" of initialize and server/discover:
 * what the model has to know beside the schemas of the tools.
 */
#ifndef STET_INSTRUCTIONS_H
#define STET_INSTRUCTIONS_H

#include "base/json.h"

struct job;

/* The sentences that hold for the tools that this client is offered. */
void put_instructions(struct job *job, struct json_out *o);

#endif
