/*
 * group_dirs.c - collects directories by identity, sorts and locks them.
 *
 * Relies on locks.c: a lock must not move while it is held, so that the array
 * is sorted before.
 */
#include "files/group_dirs.h"

#include "base/clock.h"
#include "base/fd.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

void group_dirs_init(struct group_dirs *d, size_t most, struct arena *mem)
{
	*d = (struct group_dirs){ .dir = arena_array(mem, struct group_dir,
						     most) };
}

int group_dirs_add(struct group_dirs *d, int *fd)
{
	struct group_dir *dir = &d->dir[d->n];
	struct stat st;

	if (fstat(*fd, &st))
		return -1;
	for (size_t i = 0; i < d->n; i++)
		if (d->dir[i].ino == st.st_ino && d->dir[i].dev == st.st_dev) {
			fd_drop(fd);
			return 0;
		}
	*dir = (struct group_dir){ .fd = fd_take(fd),
				   .dev = st.st_dev,
				   .ino = st.st_ino,
				   .lock = FILE_LOCK_INIT };
	d->n++;
	return 0;
}

static int compare_dirs(const void *a, const void *b)
{
	const struct group_dir *x = a, *y = b;

	if (x->dev != y->dev)
		return x->dev < y->dev ? -1 : 1;
	return x->ino < y->ino ? -1 : x->ino > y->ino;
}

static void unlock_all(struct group_dirs *d)
{
	for (size_t i = 0; i < d->n; i++)
		file_lock_drop(&d->dir[i].lock);
}

enum err group_dirs_lock(struct group_dirs *d, struct ws_local *w,
			 const struct progress *progress, struct str path,
			 struct fault *f)
{
	bool must_not_block = progress && progress->byte_limit;
	const uint64_t begun = clock_ms();
	enum err e = ERR_OK;

	if (d->n)
		qsort(d->dir, d->n, sizeof(*d->dir), compare_dirs);
	for (size_t i = 0; i < d->n && !e; i++) {
		uint64_t spent = clock_ms() - begun;
		struct file_lock_wait wait = { .progress = progress,
					       .path = path };

		/* 1 rather than 0: then a foreign flock() is no failure. */
		if (!must_not_block)
			wait.ms = spent < w->options.lock_wait_ms
					  ? w->options.lock_wait_ms - spent
					  : 1;
		e = file_lock_take(&d->dir[i].lock, &w->locks, d->dir[i].fd,
				   &wait, f);
		d->waited = d->waited || d->dir[i].lock.waited;
	}
	if (e)
		unlock_all(d);
	return e;
}

const struct group_dir *group_dirs_find(const struct group_dirs *d,
					uint64_t dev, uint64_t ino)
{
	const struct group_dir want = { .dev = dev, .ino = ino };

	return d->n ? bsearch(&want, d->dir, d->n, sizeof(*d->dir),
			      compare_dirs)
		    : NULL;
}

void group_dirs_drop(struct group_dirs *d)
{
	unlock_all(d);
	for (size_t i = 0; i < d->n; i++)
		fd_drop(&d->dir[i].fd);
	d->n = 0;
	d->waited = false;
}
