/*
 * process.h - is the process that did this still there?
 *
 * A number is given again to another after some time; together with the
 * moment it began, it is not.
 */
#ifndef STET_PROCESS_H
#define STET_PROCESS_H

#include "base/base.h"

struct process {
	int64_t pid;
	uint64_t started; /* in ticks since the machine's start; 0 = unknown */
};

struct process process_self(void);
bool process_is_there(struct process p);

#endif
