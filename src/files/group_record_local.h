/*
 * group_record_local.h - what writing and reading a record have in common.
 */
#ifndef STET_GROUP_RECORD_LOCAL_H
#define STET_GROUP_RECORD_LOCAL_H

#include "files/group_record.h"

#define GROUP_MAGIC "stet group 1 "

/* The word for the state follows the magic. */
enum { GROUP_STATE_AT = sizeof(GROUP_MAGIC) - 1, GROUP_STATE_LEN = 4 };

extern const char *const group_state_words[GROUP_DONE + 1];

/* The directory of the records; -1 with errno. */
must_check int group_record_dir(const struct journal *j, bool make);

/* Remove that directory, unless there are records. */
void group_record_rmdir(const struct journal *j);

/* 1 = locked, 0 = another process has it, -1 = there are no locks here. */
must_check int group_record_flock(int fd);

void group_record_name(const struct group_record *r, char to[GROUP_NAME]);

#endif
