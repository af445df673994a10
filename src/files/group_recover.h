/*
 * group_recover.h - complete or undo the groups of processes that died.
 *
 * A group that had begun to change files is completed if it still can be, and
 * undone otherwise (group_settle.h); of one that had not, the temporary files
 * and the directories that it created are removed. A record whose files are not
 * all within the roots is left to a process that can reach them. The caller
 * must hold no lock.
 */
#ifndef STET_GROUP_RECOVER_H
#define STET_GROUP_RECOVER_H

#include "files/group_dirs.h"
#include "files/group_record.h"

/* All records; waits for the processes that are at work on one. */
void group_recover_all(struct ws_local *w, const struct roots *roots,
		       const struct progress *progress);

/* Those that list @key and have begun. ERR_LATER rather than block. */
must_check enum err group_recover_key(struct ws_local *w,
				      const struct roots *roots, struct str key,
				      const struct progress *progress,
				      struct fault *f);

/*
 * The end of a group, under its locks: remove neighbours, then directories
 * that are not needed, then the record. On failure the record stays.
 */
void group_finish(struct group_record *r, const struct roots *roots,
		  bool is_new, struct arena *mem);

#endif
