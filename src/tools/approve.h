/*
 * approve.h - tools that change nothing before the person has agreed.
 */
#ifndef STET_APPROVE_H
#define STET_APPROVE_H

#include "tools/tool.h"

/*
 * ERR_OK when the person has agreed to this call, or to all of this tool
 * (--approve); else ERR_APPROVAL. @summary says in one line what would happen.
 */
must_check enum err approval_needed(struct call *c, struct str summary);

#endif
