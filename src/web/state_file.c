/*
 * state_file.c - small private files in the state directory.
 *
 * A write goes to a temporary file that is renamed; a file that is a symlink,
 * has another owner or can be read by others is refused (see is_unfit()).
 */
#include "web/state_file.h"

#include "base/clock.h"
#include "base/fd.h"
#include "files/private_dir.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { LOCK_WAIT_MS = 10000, LOCK_STEP_MS = 2 };

const struct state_file_dir state_file_dir_cwd = { STR_INIT(""), AT_FDCWD };

static enum err state_file_fault(struct str path, const char *why,
				 struct arena *mem, struct fault *f)
{
	return fail(f, ERR_BAD_CONFIG,
		    .text = arena_printf(mem, STR_FMT ": %s", STR_ARG(path),
					 why));
}

/* The GNU one: it may or may not use the array. */
static enum err state_file_os_fault(struct str path, int error,
				    struct arena *mem, struct fault *f)
{
	char words[128] = "";

	return state_file_fault(path, strerror_r(error, words, sizeof(words)),
				mem, f);
}

static struct str without_links(struct str path, struct arena *mem)
{
	char *real = realpath(arena_cstr(mem, path), NULL);
	struct str ret = arena_copy(mem, real ? str_of(real) : path);

	free(real);
	return ret;
}

enum err state_file_dir_open(struct str path, bool make,
			     struct state_file_dir *ret, struct arena *mem,
			     struct fault *f)
{
	struct str dir = without_links(path, mem);
	int fd = private_dir_open(dir, make);

	if (fd < 0 && errno == ENOENT && !make)
		return fail(f, ERR_NOT_FOUND, .path = dir);
	if (fd < 0 && errno == EPERM)
		return state_file_fault(
			dir,
			"it must belong to you and be private (fix: chmod go= on it)",
			mem, f);
	if (fd < 0)
		return state_file_os_fault(dir, errno, mem, f);
	*ret = (struct state_file_dir){ dir, fd };
	return ERR_OK;
}

void state_file_dir_close(struct state_file_dir *d)
{
	fd_drop(&d->fd);
}

/* 0, or an errno value; EWOULDBLOCK when another has it. */
static int try_lock(const struct state_file_dir *d, int *ret)
{
	auto_fd fd = fd_openat(d->fd, ".", O_RDONLY | O_DIRECTORY, 0);

	if (fd < 0 || flock(fd, LOCK_EX | LOCK_NB))
		return errno;
	*ret = fd_take(&fd);
	return 0;
}

bool state_file_dir_try_lock(const struct state_file_dir *d, int *ret)
{
	return !try_lock(d, ret);
}

enum err state_file_dir_lock(const struct state_file_dir *d, int *ret,
			     struct arena *mem, struct fault *f)
{
	static const struct timespec step = { 0, LOCK_STEP_MS * 1000000L };
	uint64_t until = clock_ms() + LOCK_WAIT_MS;
	int error;

	while ((error = try_lock(d, ret))) {
		if (error != EWOULDBLOCK && error != EINTR)
			return state_file_os_fault(d->path, error, mem, f);
		if (clock_ms() > until)
			return state_file_fault(
				d->path, "another program holds its lock", mem,
				f);
		(void)nanosleep(&step, NULL);
	}
	return ERR_OK;
}

/* Why it is not to be used; NULL when it is. Root's may be: it rules anyway. */
static const char *is_unfit(const struct stat *st)
{
	if (!S_ISREG(st->st_mode))
		return "it is not a file";
	if (st->st_uid != geteuid() && st->st_uid != 0)
		return "it belongs to another user";
	if (st->st_mode & 077)
		return "other users can read it (fix: chmod go= on it)";
	if (st->st_size > STATE_FILE_MAX)
		return "it is too large";
	return NULL;
}

static struct str whole_path(const struct state_file_dir *d, const char *name,
			     struct arena *mem)
{
	return arena_printf(mem, STR_FMT "%s%s", STR_ARG(d->path),
			    d->path.len ? "/" : "", name);
}

enum err state_file_read(const struct state_file_dir *d, const char *name,
			 struct arena *mem, struct str *ret, int *ret_fd,
			 struct fault *f)
{
	struct str path = whole_path(d, name, mem);
	auto_fd fd =
		fd_openat(d->fd, name, O_RDONLY | O_NONBLOCK | O_NOCTTY, 0);
	struct stat st;
	const char *why;
	ssize_t got;
	char *to;

	if (fd < 0 && errno == ENOENT)
		return fail(f, ERR_NOT_FOUND, .path = path);
	if (fd < 0 || fstat(fd, &st))
		return state_file_os_fault(path, errno, mem, f);
	why = is_unfit(&st);
	if (why)
		return state_file_fault(path, why, mem, f);
	to = arena_alloc(mem, (size_t)st.st_size + 1);
	got = fd_pread(fd, to, (size_t)st.st_size, 0);
	if (got < 0)
		return state_file_os_fault(path, errno, mem, f);
	*ret = str_make(to, (size_t)got);
	if (ret_fd)
		*ret_fd = fd_take(&fd);
	return ERR_OK;
}

static int write_temporary(int dir, const char *temp, struct str bytes,
			   bool durable)
{
	static const int flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW;
	auto_fd fd = -1;

	/* An existing one is left over from a crash: we hold the lock. */
	if (unlinkat(dir, temp, 0) && errno != ENOENT)
		return -1;
	fd = fd_openat(dir, temp, flags, 0600);
	if (fd < 0 || fchmod(fd, 0600) || fd_write(fd, bytes))
		return -1;
	return durable ? fd_fsync(fd) : 0;
}

enum err state_file_write(const struct state_file_dir *d, const char *name,
			  struct str bytes, bool durable, struct arena *mem,
			  struct fault *f)
{
	const char *temp = arena_printf(mem, ".%s.tmp", name).ptr;

	if (write_temporary(d->fd, temp, bytes, durable) ||
	    renameat(d->fd, temp, d->fd, name) ||
	    (durable && fd_fsync(d->fd))) {
		int error = errno;

		(void)unlinkat(d->fd, temp, 0);
		return state_file_os_fault(whole_path(d, name, mem), error, mem,
					   f);
	}
	return ERR_OK;
}
