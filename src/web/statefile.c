#include "web/statefile.h"

#include "base/clock.h"
#include "base/fd.h"
#include "files/private.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { LOCK_WAIT_MS = 10000, LOCK_STEP_MS = 2 };

const struct statedir statedir_here = { STR_INIT(""), AT_FDCWD };

static enum err wrong(struct str path, const char *why, struct arena *mem,
		      struct fault *f)
{
	return fail(f, ERR_BAD_CONFIG,
		    .text = arena_printf(mem, STR_FMT ": %s", STR_ARG(path),
					 why));
}

/* The GNU one: it may or may not use the array. */
static enum err wrong_os(struct str path, int error, struct arena *mem,
			 struct fault *f)
{
	char words[128] = "";

	return wrong(path, strerror_r(error, words, sizeof(words)), mem, f);
}

static struct str without_links(struct str path, struct arena *mem)
{
	char *real = realpath(arena_cstr(mem, path), NULL);
	struct str ret = arena_copy(mem, real ? str_of(real) : path);

	free(real);
	return ret;
}

enum err statedir_open(struct str path, bool make, struct statedir *ret,
		       struct arena *mem, struct fault *f)
{
	struct str dir = without_links(path, mem);
	int fd = private_open(dir, make);

	if (fd < 0 && errno == ENOENT && !make)
		return fail(f, ERR_NOT_FOUND, .path = dir);
	if (fd < 0 && errno == EPERM)
		return wrong(dir,
			     "it must be yours, and for nobody else to look "
			     "into (chmod go= it)",
			     mem, f);
	if (fd < 0)
		return wrong_os(dir, errno, mem, f);
	*ret = (struct statedir){ dir, fd };
	return ERR_OK;
}

void statedir_close(struct statedir *d)
{
	fd_drop(&d->fd);
}

/* 0, or an errno value; EWOULDBLOCK when another has it. */
static int try_lock(const struct statedir *d, int *ret)
{
	auto_fd fd = fd_openat(d->fd, ".", O_RDONLY | O_DIRECTORY, 0);

	if (fd < 0 || flock(fd, LOCK_EX | LOCK_NB))
		return errno;
	*ret = fd_take(&fd);
	return 0;
}

bool statedir_try_lock(const struct statedir *d, int *ret)
{
	return !try_lock(d, ret);
}

enum err statedir_lock(const struct statedir *d, int *ret, struct arena *mem,
		       struct fault *f)
{
	static const struct timespec step = { 0, LOCK_STEP_MS * 1000000L };
	uint64_t until = clock_ms() + LOCK_WAIT_MS;
	int error;

	while ((error = try_lock(d, ret))) {
		if (error != EWOULDBLOCK && error != EINTR)
			return wrong_os(d->path, error, mem, f);
		if (clock_ms() > until)
			return wrong(d->path, "another program holds its lock",
				     mem, f);
		(void)nanosleep(&step, NULL);
	}
	return ERR_OK;
}

/* Why it is not to be used; NULL when it is. Root's may be: it rules anyway. */
static const char *unfit(const struct stat *st)
{
	if (!S_ISREG(st->st_mode))
		return "it is not a file";
	if (st->st_uid != geteuid() && st->st_uid != 0)
		return "it belongs to somebody else";
	if (st->st_mode & 077)
		return "others may read it (chmod go= it)";
	if (st->st_size > STATEFILE_MOST)
		return "it is too large";
	return NULL;
}

static struct str whole_path(const struct statedir *d, const char *name,
			     struct arena *mem)
{
	return arena_printf(mem, STR_FMT "%s%s", STR_ARG(d->path),
			    d->path.len ? "/" : "", name);
}

enum err statefile_read(const struct statedir *d, const char *name,
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
		return wrong_os(path, errno, mem, f);
	why = unfit(&st);
	if (why)
		return wrong(path, why, mem, f);
	to = arena_alloc(mem, (size_t)st.st_size + 1);
	got = fd_pread(fd, to, (size_t)st.st_size, 0);
	if (got < 0)
		return wrong_os(path, errno, mem, f);
	*ret = str_make(to, (size_t)got);
	if (ret_fd)
		*ret_fd = fd_take(&fd);
	return ERR_OK;
}

static int write_neighbour(int dir, const char *temp, struct str bytes,
			   bool durable)
{
	static const int flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW;
	auto_fd fd = -1;

	/* One that is there was left by a death: we hold the lock. */
	if (unlinkat(dir, temp, 0) && errno != ENOENT)
		return -1;
	fd = fd_openat(dir, temp, flags, 0600);
	if (fd < 0 || fchmod(fd, 0600) || fd_write(fd, bytes))
		return -1;
	return durable ? fd_fsync(fd) : 0;
}

enum err statefile_write(const struct statedir *d, const char *name,
			 struct str bytes, bool durable, struct arena *mem,
			 struct fault *f)
{
	const char *temp = arena_printf(mem, ".%s.tmp", name).ptr;

	if (write_neighbour(d->fd, temp, bytes, durable) ||
	    renameat(d->fd, temp, d->fd, name) ||
	    (durable && fd_fsync(d->fd))) {
		int error = errno;

		(void)unlinkat(d->fd, temp, 0);
		return wrong_os(whole_path(d, name, mem), error, mem, f);
	}
	return ERR_OK;
}
