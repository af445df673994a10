/*
 * prompts.h - the methods for prompts of a catalog, and completion.
 */
#ifndef STET_PROMPTS_H
#define STET_PROMPTS_H

#include "rpc/method.h"

enum job_next prompts_list(struct job *job);
enum job_next prompts_get(struct job *job);
enum job_next prompts_complete(struct job *job);

#endif
