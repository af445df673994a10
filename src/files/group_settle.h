/*
 * group_settle.h - bring the files of a group to one state: all old or all new.
 *
 * For a group that has begun to change files and was then stopped, by a crash
 * or by a failure. What each file is now is found out from its content and that
 * of its neighbour. A file that somebody else has changed is left as it is.
 * All directories are locked by the caller, and r->files have .dir and .name.
 */
#ifndef STET_GROUP_SETTLE_H
#define STET_GROUP_SETTLE_H

#include "files/group_record.h"

/*
 * GROUP_SWITCH: all new if every file not changed yet can still be; else, and
 * for GROUP_BACK, all old. *@ret_new says which. On failure nothing is lost,
 * and it can be tried again.
 */
must_check enum err group_settle(struct group_record *r, struct arena *mem,
				 bool *ret_new, struct fault *f);

/*
 * Remove the neighbours, when nothing is to be put back any more: 0, or -1
 * when one is left.
 */
must_check int group_tidy(const struct group_record *r);

#endif
