/*
 * group_apart.h - a group in a workspace that cannot make it as one step.
 */
#ifndef STET_GROUP_APART_H
#define STET_GROUP_APART_H

#include "base/err.h"

struct workspace;
struct group_want;

must_check enum err group_apart(struct workspace *ws, struct group_want *want,
				struct arena *mem, struct fault *f);

#endif
