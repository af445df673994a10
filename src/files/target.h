/*
 * target.h - the file that store, append or remove is about to change.
 *
 * target_find() resolves its directory, takes the lock of that, recovers from
 * a crash if need be, and opens the file if it exists. A file that was judged
 * has a key, which is opened without following symlinks: ERR_CHANGED if there
 * is one now. Without a key the path is resolved here, again when it changes
 * meanwhile. Declare it with auto_target and every return releases it.
 */
#ifndef STET_TARGET_H
#define STET_TARGET_H

#include "files/local.h"
#include "files/locks.h"
#include "files/parents.h"
#include "files/replace.h"
#include "files/resolve.h"

struct target {
	/* set by the caller, with TARGET_INIT for the rest */
	struct ws_local *w;
	const struct roots *roots;
	struct str path; /* as given by the client, for faults */
	struct str key;  /* of the file; "" = resolve @path */
	const struct progress *progress;
	struct arena *mem;
	struct fault *f;
	uint64_t bytes; /* size of the write, for the fault of a full disk */
	bool parents;   /* create missing directories */
	bool no_follow; /* ERR_DENIED if the file is a symlink */

	/* set by target_find() */
	struct resolved place;
	struct file_lock lock;
	bool waited; /* the lock was not free: the file may have changed */
	struct replace_old old; /* old.fd is -1 when the file does not exist */
	struct parents made;    /* directories created here */
	bool unrecovered;       /* a group has to be recovered first */
	bool recovered;         /* that was tried */
};

#define TARGET_INIT .place = RESOLVED_INIT, .lock = FILE_LOCK_INIT, .old.fd = -1
#define auto_target cleanup(target_drop) struct target

must_check enum err target_find(struct target *t);

/*
 * The steps of target_find(), for a caller that takes the locks of several
 * targets: resolve t->place, then, under the lock of the directory, open the
 * file. ERR_RETRY = start over, without locks, with target_retry() first.
 */
must_check enum err target_place(struct target *t);
must_check enum err target_open(struct target *t);
must_check enum err target_retry(struct target *t);
void target_drop(struct target *t);

/* Remove the directories that were created, as far as they are empty. */
void target_undo(struct target *t);

/*
 * To be called right before the change: is the locked directory still at the
 * key, and @file, for a write in place (-1 = none), still the file? ERR_CHANGED
 * when it or a directory above it was moved since the key was judged; then
 * nothing may be written. A move after this has the same effect as one after
 * the change.
 */
must_check enum err target_is_there(struct target *t, int file);

/* The fault of a failed system call, with path and size. */
enum err target_failed(struct target *t, int error);

/* ERR_CHANGED with the current version; NULL = the file does not exist. */
enum err target_changed(struct target *t, const struct hash *now);

/*
 * Could a file of t->bytes bytes be created in its directory? Checks permission
 * and free space and writes nothing, so the answer may be out of date.
 */
must_check enum err target_can_create(struct target *t);

/* lstat() of the target's name; all 0 when nothing has it. */
must_check enum err target_now(struct target *t, struct stat *ret);

/* fsync the directory; @file is any file open in the same filesystem. */
must_check enum err target_sync(struct target *t, int file);

/* file_lock_salt(), for the name of the temporary file. */
uint64_t target_salt(const struct target *t);

#endif
