/*
 * reserve.c - a file that takes up space until a full disk needs it.
 */
#include "store/reserve.h"

#include "base/fd.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/statvfs.h>
#include <unistd.h>

#define RESERVE_NAME "reserve"
enum { RESERVE_SIZE = 4 << 20, ROOM_FACTOR = 4 };

/* The reserve must not take the last space of the disk. */
static bool has_plenty(const struct db *db)
{
	struct statvfs st;

	return !fstatvfs(db->dir, &st) &&
	       (uint64_t)st.f_bavail * st.f_frsize >
		       (uint64_t)RESERVE_SIZE * ROOM_FACTOR;
}

void reserve_make(const struct db *db)
{
	auto_fd fd = -1;

	if (db->dir < 0 || db->in_memory ||
	    !faccessat(db->dir, RESERVE_NAME, F_OK, AT_SYMLINK_NOFOLLOW) ||
	    !has_plenty(db))
		return;
	fd = fd_openat(db->dir, RESERVE_NAME,
		       O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0600);
	if (fd >= 0 && fallocate(fd, 0, 0, RESERVE_SIZE))
		(void)unlinkat(db->dir, RESERVE_NAME, 0);
}

bool reserve_use(const struct db *db)
{
	return db->dir >= 0 && !unlinkat(db->dir, RESERVE_NAME, 0);
}

bool reserve_is_wanted(const struct fault *f)
{
	return f->err == ERR_STORE && (f->os == ENOSPC || f->os == EDQUOT);
}
