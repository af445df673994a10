#include "files/replace.h"

#include "base/fd.h"
#include "files/whole.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

enum { MOST_SWAPS = 16 };

static void name_neighbour(const char *name, uint64_t salt, char *to)
{
	struct hash h = hash_of(str_of(name));

	(void)snprintf(to, REPLACE_NAME, ".stet-%016llx.tmp",
		       (unsigned long long)(h.low ^ salt));
}

bool replace_settle(int dir, const char *name, uint64_t salt)
{
	char temp[REPLACE_NAME];

	name_neighbour(name, salt, temp);
	return !unlinkat(dir, temp, 0);
}

/*
 * 0, or -1: this one cannot have a name there. By its descriptor alone takes
 * half the time, but before Linux 6.10 only some may do that.
 */
static int give_name(const struct replace *r)
{
	char from[sizeof("/proc/self/fd/") + 3 * sizeof(int)];

	if (!linkat(r->fd, "", r->dir, r->temp, AT_EMPTY_PATH))
		return 0;
	if (errno != ENOENT)
		return -1;
	(void)snprintf(from, sizeof(from), "/proc/self/fd/%d", r->fd);
	return linkat(AT_FDCWD, from, r->dir, r->temp, AT_SYMLINK_FOLLOW);
}

static int make_neighbour(struct replace *r, unsigned mode)
{
	static const int flags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW;

	if (r->fd >= 0 && !give_name(r))
		return 0;
	fd_drop(&r->fd);
	r->fd = fd_openat(r->dir, r->temp, flags, mode);
	return r->fd < 0 ? -1 : 0;
}

enum err replace_begin(struct replace *r, int dir, const char *name,
		       struct str path, unsigned mode, uint64_t salt,
		       struct fault *f)
{
	int e;

	r->dir = dir;
	r->name = name;
	r->path = path;
	name_neighbour(name, salt, r->temp);
	e = make_neighbour(r, mode);
	if (e && errno == EEXIST && !unlinkat(dir, r->temp, 0))
		e = make_neighbour(r, mode);
	if (e)
		return fail_os(f, errno, path);
	r->there = true;
	return ERR_OK;
}

void replace_drop(struct replace *r)
{
	if (r->there)
		(void)unlinkat(r->dir, r->temp, 0);
	r->there = false;
	fd_drop(&r->fd);
}

static enum err changed(struct replace *r, struct str version, struct fault *f)
{
	return fail(f, ERR_CHANGED, .path = r->path, .version = version);
}

/* Say which content it is that the other has put at @name. */
static enum err changed_to(struct replace *r, const char *name, char *hex,
			   struct fault *f)
{
	auto_fd fd =
		fd_openat(r->dir, name,
			  O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, 0);
	struct hash now;
	struct stat st;

	if (fd < 0 || fstat(fd, &st) || !S_ISREG(st.st_mode) ||
	    whole_hash(fd, st.st_size, &now))
		return changed(r, STR(""), f);
	hash_hex(now, hex);
	return changed(r, str_of(hex), f);
}

static bool not_supported(int error)
{
	switch (error) {
	case EINVAL:
	case ENOSYS:
	case EOPNOTSUPP:
		return true;
	default:
		return false;
	}
}

/* Where nothing is yet. A link is the same step without renameat2. */
static enum err create(struct replace *r, char *hex, struct fault *f)
{
	int e;

	e = renameat2(r->dir, r->temp, r->dir, r->name, RENAME_NOREPLACE);
	if (e && not_supported(errno)) {
		e = linkat(r->dir, r->temp, r->dir, r->name, 0);
		if (!e)
			(void)unlinkat(r->dir, r->temp, 0);
	}
	if (e && errno == EEXIST)
		return changed_to(r, r->name, hex, f);
	if (e)
		return fail_os(f, errno, r->path);
	r->there = false;
	return ERR_OK;
}

/*
 * Does the file open at @fd still have the bytes that were compared? No
 * stamp can tell: being renamed sets the one of the inode, and all others
 * can be set by whoever likes to.
 */
static bool same_bytes(int fd, off_t size, const struct hash *version)
{
	struct hash now;

	return !whole_hash(fd, size, &now) && hash_eq(now, *version);
}

/* Is @name, beside the file, what we meant to replace? */
static bool is_old(struct replace *r, const char *name,
		   const struct replace_old *old)
{
	auto_fd fd = -1;
	struct stat st;

	if (fstatat(r->dir, name, &st, AT_SYMLINK_NOFOLLOW) ||
	    !S_ISREG(st.st_mode))
		return false;
	if (!old->exact)
		return true;
	if (st.st_ino == old->st.st_ino && st.st_dev == old->st.st_dev)
		return same_bytes(old->fd, st.st_size, &old->version);
	fd = fd_openat(r->dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK, 0);
	return fd >= 0 && same_bytes(fd, st.st_size, &old->version);
}

/*
 * A filesystem that cannot exchange: a writer who does not take our lock can
 * come between the look and the rename.
 */
static enum err rename_over(struct replace *r, const struct replace_old *old,
			    char *hex, struct fault *f)
{
	if (!is_old(r, r->name, old))
		return changed_to(r, r->name, hex, f);
	if (renameat(r->dir, r->temp, r->dir, r->name))
		return fail_os(f, errno, r->path);
	r->there = false;
	return ERR_OK;
}

/* Which file is @name? */
static struct stat which(const struct replace *r, const char *name)
{
	struct stat st = { 0 };

	if (fstatat(r->dir, name, &st, AT_SYMLINK_NOFOLLOW))
		return (struct stat){ 0 };
	return st;
}

/*
 * Is the neighbour the file open at @was, so that nothing is lost with it?
 * Ours only when nobody has written to it while it had the name. It is held
 * open because the number of an inode that is gone is soon given to another.
 */
static bool may_go(const struct replace *r, int was)
{
	struct stat now = which(r, r->temp), then = { 0 }, ours = { 0 };

	if (fstat(was, &then) || now.st_ino != then.st_ino ||
	    now.st_dev != then.st_dev)
		return false;
	if (fstat(r->fd, &ours) || now.st_ino != ours.st_ino)
		return true;
	return same_bytes(r->fd, ours.st_size, &r->version);
}

/*
 * Give back what we have displaced: it is not what we meant to replace. If he
 * writes again meanwhile, then what comes out is newer than what goes in, and
 * has to go back, too: until that comes out which we have put in ourselves.
 */
static enum err swap_back(struct replace *r, char *hex, struct fault *f)
{
	enum err e = changed_to(r, r->temp, hex, f);
	auto_fd put = fcntl(r->fd, F_DUPFD_CLOEXEC, 0);

	for (int i = 0; i < MOST_SWAPS; i++) {
		auto_fd next =
			fd_openat(r->dir, r->temp, O_PATH | O_NOFOLLOW, 0);

		if (renameat2(r->dir, r->temp, r->dir, r->name,
			      RENAME_EXCHANGE))
			break;
		if (may_go(r, put))
			return e;
		fd_drop(&put);
		put = fd_take(&next);
	}
	/* It must not go, and the neighbour's name is not safe for long. */
	if (!renameat(r->dir, r->temp, r->dir, r->name))
		r->there = false;
	return e;
}

enum err replace_commit(struct replace *r, const struct replace_old *old,
			char hex[HASH_HEX + 1], struct fault *f)
{
	if (!old)
		return create(r, hex, f);
	if (renameat2(r->dir, r->temp, r->dir, r->name, RENAME_EXCHANGE)) {
		if (errno == ENOENT && !old->exact)
			return create(r, hex, f);
		if (errno == ENOENT)
			return changed(r, STR(""), f);
		if (not_supported(errno))
			return rename_over(r, old, hex, f);
		return fail_os(f, errno, r->path);
	}
	if (!is_old(r, r->temp, old))
		return swap_back(r, hex, f);
	if (!unlinkat(r->dir, r->temp, 0))
		r->there = false;
	return ERR_OK;
}

/* Back to its name, unless somebody has made a newer one there. */
static void give_back(struct replace *r)
{
	int e = renameat2(r->dir, r->temp, r->dir, r->name, RENAME_NOREPLACE);

	if (!e)
		return;
	if (not_supported(errno))
		e = linkat(r->dir, r->temp, r->dir, r->name, 0);
	if (!e || errno == EEXIST)
		(void)unlinkat(r->dir, r->temp, 0);
}

enum err replace_remove(int dir, const char *name, struct str path,
			const struct replace_old *old, uint64_t salt,
			char hex[HASH_HEX + 1], struct fault *f)
{
	struct replace r = { .dir = dir, .name = name, .path = path, .fd = -1 };
	enum err e;

	name_neighbour(name, salt, r.temp);
	/* If it is a second name of the file, then the move would do nothing. */
	(void)unlinkat(dir, r.temp, 0);
	if (renameat(dir, name, dir, r.temp)) {
		if (errno == ENOENT)
			return changed(&r, STR(""), f);
		return fail_os(f, errno, path);
	}
	if (!is_old(&r, r.temp, old))
		e = changed_to(&r, r.temp, hex, f);
	else if (unlinkat(dir, r.temp, 0))
		e = fail_os(f, errno, path);
	else
		return ERR_OK;
	give_back(&r);
	return e;
}
