/*
 * state_file.h - small files in the state directory, for their user alone.
 *
 * They hold credentials, so one that other users may read is refused. A write is atomic: a reader sees the old or the new bytes, also after
 * a power failure. Writers hold the lock, readers need none. The texts of
 * faults are in @mem.
 */
#ifndef STET_STATE_FILE_H
#define STET_STATE_FILE_H

#include "base/err.h"

enum { STATE_FILE_MAX = 256 * 1024 }; /* bytes */

struct state_file_dir {
	struct str path;
	int fd; /* -1 = not open */
};

/* No directory: for paths that the person names. */
extern const struct state_file_dir state_file_dir_cwd;

#define STATE_FILE_DIR_INIT \
	{                   \
		.fd = -1    \
	}
#define auto_state_file_dir cleanup(state_file_dir_close) struct state_file_dir

/* ERR_NOT_FOUND when it does not exist, unless @make: then it is created. */
must_check enum err state_file_dir_open(struct str path, bool make,
					struct state_file_dir *ret,
					struct arena *mem, struct fault *f);
void state_file_dir_close(struct state_file_dir *d);

/* The writers' lock, held until *@ret is closed. */
must_check enum err state_file_dir_lock(const struct state_file_dir *d,
					int *ret, struct arena *mem,
					struct fault *f);

/* The same without waiting: false when another has it. */
must_check bool state_file_dir_try_lock(const struct state_file_dir *d,
					int *ret);

/*
 * Read a whole file. ERR_NOT_FOUND; ERR_BAD_CONFIG when it is not private.
 * @ret_fd, if not NULL, stays open.
 */
must_check enum err state_file_read(const struct state_file_dir *d,
				    const char *name, struct arena *mem,
				    struct str *ret, int *ret_fd,
				    struct fault *f);

/* Under the lock. @durable: it is on the disk before this returns. */
must_check enum err state_file_write(const struct state_file_dir *d,
				     const char *name, struct str bytes,
				     bool durable, struct arena *mem,
				     struct fault *f);

#endif
