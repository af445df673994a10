/*
 * target.h - the file that is about to change: found, locked, settled.
 *
 * target_find() leads to its directory, takes the lock of that and opens what
 * is there, after putting right what a death has left. A file that was judged
 * has a key, and that is opened without following a link: where there is one
 * now, ERR_CHANGED. Without a key the path is resolved here, as often as it
 * moves under our hands. Declare it with auto_target and every return lets go.
 */
#ifndef STET_TARGET_H
#define STET_TARGET_H

#include "files/follow.h"
#include "files/local.h"
#include "files/locks.h"
#include "files/parents.h"
#include "files/replace.h"

struct target {
	/* to be filled in, with TARGET_INIT for the rest */
	struct ws_local *w;
	const struct roots *roots;
	struct str path; /* as it was given, for faults */
	struct str key;  /* where it is; "" = wherever @path leads */
	const struct errand *errand;
	struct arena *mem;
	struct fault *f;
	uint64_t bytes; /* to be written, for the fault of a full disk */
	bool parents;   /* make the directories that are missing */
	bool no_follow; /* a link in its place is ERR_DENIED */

	/* found */
	struct place place;
	struct lock lock;
	bool waited; /* for the lock, so that more may have changed */
	struct replace_old old; /* old.fd is -1 when there is none */
	struct parents made;
};

#define TARGET_INIT .place = PLACE_INIT, .lock = LOCK_INIT, .old.fd = -1
#define auto_target cleanup(target_drop) struct target

must_check enum err target_find(struct target *t);
void target_drop(struct target *t);

/* Remove the directories that were made, if nothing has come into them. */
void target_undo(struct target *t);

/*
 * Right before the file changes, and after everything that may take its time:
 * is the locked directory still the one that the key names, and @file, where
 * it is changed in place (-1 = it is not), still the file? Else it or a
 * directory above it was moved or replaced since the key was judged:
 * ERR_CHANGED, and nothing is to be written. A move after this is the same as
 * one after the change.
 */
must_check enum err target_is_there(struct target *t, int file);

/* What a failed system call means for it. */
enum err target_failed(struct target *t, int error);

/* ERR_CHANGED, with the version that is there; NULL = there is none. */
enum err target_changed(struct target *t, const struct hash *now);

/* What has its name by now; all 0 = nothing. */
must_check enum err target_now(struct target *t, struct stat *ret);

/* The name is on the disk; @file is one open in the same filesystem. */
must_check enum err target_sync(struct target *t, int file);

/* Those who do not see our lock must not take our neighbour for theirs. */
uint64_t target_salt(const struct target *t);

#endif
