/*
 * replace.h - replace a file with new content atomically.
 *
 * replace_begin() creates a temporary file beside the target (or links r.fd, a
 * file without a name, if the caller has set it), the caller writes to r.fd,
 * and either replace_commit() makes it the target or replace_drop() removes it.
 * Declare it with auto_replace and every early return drops it.
 *
 * All of it happens under the lock of the directory (locks.h). The temporary
 * name is derived from the target's, so a file that already has it was left by
 * a crash and is removed.
 */
#ifndef STET_REPLACE_H
#define STET_REPLACE_H

#include "base/err.h"
#include "base/hash.h"

#include <sys/stat.h>

enum { REPLACE_NAME = sizeof(".stet-0123456789abcdef.tmp") };

/* Has the name the form of a temporary file's? */
bool replace_is_temp(struct str name);

struct replace {
	int dir;             /* of the target; borrowed */
	const char *name;    /* of the target; borrowed */
	struct str path;     /* for faults */
	int fd;              /* the temporary file; -1 = none */
	struct hash version; /* of the bytes in fd; set it before a commit */
	char temp[REPLACE_NAME];
	bool linked; /* the name temp exists and is to be removed */
	bool keeps;  /* replace_switch() never loses the displaced file */
};

#define REPLACE_INIT     \
	{                \
		.fd = -1 \
	}
#define auto_replace cleanup(replace_drop) struct replace

/* The file that is expected at the target. */
struct replace_old {
	int fd;
	struct stat st;
	bool exact; /* its content must still be @version */
	struct hash version;
};

/*
 * Faults carry the errno value in .os. @salt is file_lock_salt(): it keeps the
 * temporary files of writers apart that do not see each other's locks.
 */
must_check enum err replace_begin(struct replace *r, int dir, const char *name,
				  struct str path, unsigned mode, uint64_t salt,
				  struct fault *f);

/* Remove a temporary file left by a crash; true when there was one. */
bool replace_remove_stale(int dir, const char *name, uint64_t salt);

/*
 * Make the temporary file the target, in place of @old; NULL = the target must
 * not exist. ERR_CHANGED, and no change, when the target is not @old any more;
 * the fault then has the current version, which is written to @hex.
 */
must_check enum err replace_commit(struct replace *r,
				   const struct replace_old *old,
				   char hex[HASH_HEX + 1], struct fault *f);
void replace_drop(struct replace *r);

/*
 * The parts of the above, for a change of several files (group_file.h). They
 * leave the displaced file at r->temp, with r->linked set, so that it can be
 * put back: replace_switch() does what replace_commit() does before it removes
 * that file, and replace_take() what replace_remove() does.
 */
void replace_name(struct replace *r, int dir, const char *name, struct str path,
		  uint64_t salt);
must_check enum err replace_switch(struct replace *r,
				   const struct replace_old *old,
				   char hex[HASH_HEX + 1], struct fault *f);
must_check enum err replace_take(struct replace *r,
				 const struct replace_old *old,
				 char hex[HASH_HEX + 1], struct fault *f);

/* After a crash within a replace_switch() that keeps: complete its last step. */
void replace_recover_aside(const struct replace *r);

/*
 * Remove @name if it is still @old; else ERR_CHANGED, as above, and it stays.
 * It is renamed before it is compared, so that no other program can write to it
 * by name between the comparison and the removal.
 */
must_check enum err replace_remove(int dir, const char *name, struct str path,
				   const struct replace_old *old, uint64_t salt,
				   char hex[HASH_HEX + 1], struct fault *f);

#endif
