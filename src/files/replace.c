/*
 * replace.c - commits by renameat2(RENAME_EXCHANGE) and verifies afterwards.
 *
 * The exchange is atomic and loses nothing: the displaced file is compared
 * with what was expected and, if it is another one, exchanged back. So even a
 * writer that ignores our locks is not overwritten, except on filesystems
 * without RENAME_EXCHANGE.
 */
#include "files/replace.h"

#include "base/fd.h"
#include "files/content.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

enum { MAX_SWAPS = 16 };

static void make_temp_name(const char *name, uint64_t salt, char *to)
{
	struct hash h = hash_of(str_of(name));

	(void)snprintf(to, REPLACE_NAME, ".stet-%016llx.tmp",
		       (unsigned long long)(h.low ^ salt));
}

bool replace_is_temp(struct str name)
{
	if (name.len != REPLACE_NAME - 1 || name.ptr[0] != '.' ||
	    !str_starts(name, STR(".stet-")) || !str_ends(name, STR(".tmp")))
		return false;
	for (size_t i = 6; i < 22; i++)
		if (hex_digit(name.ptr[i]) < 0)
			return false;
	return true;
}

bool replace_remove_stale(int dir, const char *name, uint64_t salt)
{
	char temp[REPLACE_NAME];

	make_temp_name(name, salt, temp);
	return !unlinkat(dir, temp, 0);
}

/*
 * 0, or -1: r->fd cannot be linked there. AT_EMPTY_PATH takes half the time of
 * /proc, but before Linux 6.10 it needs CAP_DAC_READ_SEARCH.
 */
static int link_temp(const struct replace *r)
{
	char from[sizeof("/proc/self/fd/") + 3 * sizeof(int)];

	if (!linkat(r->fd, "", r->dir, r->temp, AT_EMPTY_PATH))
		return 0;
	if (errno != ENOENT)
		return -1;
	(void)snprintf(from, sizeof(from), "/proc/self/fd/%d", r->fd);
	return linkat(AT_FDCWD, from, r->dir, r->temp, AT_SYMLINK_FOLLOW);
}

static int create_temp(struct replace *r, unsigned mode)
{
	static const int flags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW;

	if (r->fd >= 0 && !link_temp(r))
		return 0;
	fd_drop(&r->fd);
	r->fd = fd_openat(r->dir, r->temp, flags, mode);
	return r->fd < 0 ? -1 : 0;
}

void replace_name(struct replace *r, int dir, const char *name, struct str path,
		  uint64_t salt)
{
	r->dir = dir;
	r->name = name;
	r->path = path;
	make_temp_name(name, salt, r->temp);
}

enum err replace_begin(struct replace *r, int dir, const char *name,
		       struct str path, unsigned mode, uint64_t salt,
		       struct fault *f)
{
	int e;

	replace_name(r, dir, name, path, salt);
	e = create_temp(r, mode);
	if (e && errno == EEXIST && !unlinkat(dir, r->temp, 0))
		e = create_temp(r, mode);
	if (e)
		return fail_os(f, errno, path);
	r->linked = true;
	return ERR_OK;
}

void replace_drop(struct replace *r)
{
	if (r->linked)
		(void)unlinkat(r->dir, r->temp, 0);
	r->linked = false;
	fd_drop(&r->fd);
}

static enum err replace_changed(struct replace *r, struct str version,
				struct fault *f)
{
	return fail(f, ERR_CHANGED, .path = r->path, .version = version);
}

/* ERR_CHANGED with the version of the file that is now at @name. */
static enum err replace_changed_to(struct replace *r, const char *name,
				   char *hex, struct fault *f)
{
	auto_fd fd =
		fd_openat(r->dir, name,
			  O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, 0);
	struct hash now;
	struct stat st;

	if (fd < 0 || fstat(fd, &st) || !S_ISREG(st.st_mode) ||
	    content_hash(fd, st.st_size, &now))
		return replace_changed(r, STR(""), f);
	hash_hex(now, hex);
	return replace_changed(r, str_of(hex), f);
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

/* The target must not exist. linkat() is as atomic, where renameat2 fails. */
static enum err replace_create(struct replace *r, char *hex, struct fault *f)
{
	int e;

	e = renameat2(r->dir, r->temp, r->dir, r->name, RENAME_NOREPLACE);
	if (e && not_supported(errno)) {
		e = linkat(r->dir, r->temp, r->dir, r->name, 0);
		if (!e)
			(void)unlinkat(r->dir, r->temp, 0);
	}
	if (e && errno == EEXIST)
		return replace_changed_to(r, r->name, hex, f);
	if (e)
		return fail_os(f, errno, r->path);
	r->linked = false;
	return ERR_OK;
}

/*
 * Does the file open at @fd still have that content? Timestamps cannot tell: a
 * rename sets the ctime, and any program can set the mtime.
 */
static bool has_version(int fd, off_t size, const struct hash *version)
{
	struct hash now;

	return !content_hash(fd, size, &now) && hash_eq(now, *version);
}

/* Is @name, in the directory of the target, the expected file? */
static bool is_expected(struct replace *r, const char *name,
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
		return has_version(old->fd, st.st_size, &old->version);
	fd = fd_openat(r->dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK, 0);
	return fd >= 0 && has_version(fd, st.st_size, &old->version);
}

/*
 * For filesystems without RENAME_EXCHANGE: a writer that does not take our lock
 * can be overwritten between the check and the rename.
 */
static enum err rename_over(struct replace *r, const struct replace_old *old,
			    char *hex, struct fault *f)
{
	if (!is_expected(r, r->name, old))
		return replace_changed_to(r, r->name, hex, f);
	if (renameat(r->dir, r->temp, r->dir, r->name))
		return fail_os(f, errno, r->path);
	r->linked = false;
	return ERR_OK;
}

/* A second name for the displaced file, next to r->temp. */
static void make_aside_name(const struct replace *r, char *to)
{
	static const char digits[] = "0123456789abcdef";

	memcpy(to, r->temp, REPLACE_NAME);
	to[6] = digits[((unsigned)hex_digit(to[6]) ^ 8) % 16];
}

/* The same for a caller that needs the displaced file. */
static enum err rename_keeping(struct replace *r, const struct replace_old *old,
			       char *hex, struct fault *f)
{
	char aside[REPLACE_NAME];
	enum err e;

	make_aside_name(r, aside);
	(void)unlinkat(r->dir, aside, 0);
	if (linkat(r->dir, r->name, r->dir, aside, 0))
		return fail_os(f, errno, r->path);
	e = rename_over(r, old, hex, f);
	if (e) {
		(void)unlinkat(r->dir, aside, 0);
		return e;
	}
	r->linked = !renameat(r->dir, aside, r->dir, r->temp);
	if (r->linked)
		return ERR_OK;
	e = fail_os(f, errno, r->path);
	(void)!renameat(r->dir, aside, r->dir, r->name);
	return e;
}

void replace_recover_aside(const struct replace *r)
{
	char aside[REPLACE_NAME];
	struct stat st;

	make_aside_name(r, aside);
	if (fstatat(r->dir, aside, &st, AT_SYMLINK_NOFOLLOW))
		return;
	if (!fstatat(r->dir, r->temp, &st, AT_SYMLINK_NOFOLLOW))
		(void)unlinkat(r->dir, aside, 0);
	else if (errno == ENOENT)
		(void)renameat(r->dir, aside, r->dir, r->temp);
}

static struct stat stat_beside(const struct replace *r, const char *name)
{
	struct stat st = { 0 };

	if (fstatat(r->dir, name, &st, AT_SYMLINK_NOFOLLOW))
		return (struct stat){ 0 };
	return st;
}

/*
 * Is the file that came out of the exchange the one that went in (@was), so
 * that it can be removed without loss? If it is our own, only when no other
 * program has written to it while it was the target. @was is kept open because
 * a freed inode number is soon reused.
 */
static bool is_displaced(const struct replace *r, int was)
{
	struct stat now = stat_beside(r, r->temp), then = { 0 }, ours = { 0 };

	if (fstat(was, &then) || now.st_ino != then.st_ino ||
	    now.st_dev != then.st_dev)
		return false;
	if (fstat(r->fd, &ours) || now.st_ino != ours.st_ino)
		return true;
	return has_version(r->fd, ours.st_size, &r->version);
}

/*
 * Put back the displaced file, which is not the expected one. If its writer
 * replaces the target again meanwhile, the file that comes out is newer than
 * the one that went in and has to go back, too; repeat until the file that we
 * put in comes out.
 */
static enum err swap_back(struct replace *r, char *hex, struct fault *f)
{
	enum err e = replace_changed_to(r, r->temp, hex, f);
	auto_fd put = fcntl(r->fd, F_DUPFD_CLOEXEC, 0);

	for (int i = 0; i < MAX_SWAPS; i++) {
		auto_fd next =
			fd_openat(r->dir, r->temp, O_PATH | O_NOFOLLOW, 0);

		if (renameat2(r->dir, r->temp, r->dir, r->name,
			      RENAME_EXCHANGE))
			break;
		if (is_displaced(r, put))
			return e;
		fd_drop(&put);
		put = fd_take(&next);
	}
	/*
	 * The file at the temporary name is not ours to delete, and a later
	 * write would remove that name as stale: make it the target.
	 */
	if (!renameat(r->dir, r->temp, r->dir, r->name))
		r->linked = false;
	return e;
}

enum err replace_switch(struct replace *r, const struct replace_old *old,
			char hex[HASH_HEX + 1], struct fault *f)
{
	if (!old)
		return replace_create(r, hex, f);
	if (renameat2(r->dir, r->temp, r->dir, r->name, RENAME_EXCHANGE)) {
		if (errno == ENOENT && !old->exact)
			return replace_create(r, hex, f);
		if (errno == ENOENT)
			return replace_changed(r, STR(""), f);
		if (not_supported(errno))
			return r->keeps ? rename_keeping(r, old, hex, f)
					: rename_over(r, old, hex, f);
		return fail_os(f, errno, r->path);
	}
	return is_expected(r, r->temp, old) ? ERR_OK : swap_back(r, hex, f);
}

enum err replace_commit(struct replace *r, const struct replace_old *old,
			char hex[HASH_HEX + 1], struct fault *f)
{
	enum err e = replace_switch(r, old, hex, f);

	if (!e && r->linked && !unlinkat(r->dir, r->temp, 0))
		r->linked = false;
	return e;
}

/* Rename back, unless a newer file has the name by now. */
static void restore_name(struct replace *r)
{
	int e = renameat2(r->dir, r->temp, r->dir, r->name, RENAME_NOREPLACE);

	if (!e)
		return;
	if (not_supported(errno))
		e = linkat(r->dir, r->temp, r->dir, r->name, 0);
	if (!e || errno == EEXIST)
		(void)unlinkat(r->dir, r->temp, 0);
}

enum err replace_take(struct replace *r, const struct replace_old *old,
		      char hex[HASH_HEX + 1], struct fault *f)
{
	enum err e;

	/* rename() of two hard links to one file would do nothing. */
	(void)unlinkat(r->dir, r->temp, 0);
	if (renameat(r->dir, r->name, r->dir, r->temp)) {
		if (errno == ENOENT)
			return replace_changed(r, STR(""), f);
		return fail_os(f, errno, r->path);
	}
	r->linked = true;
	if (is_expected(r, r->temp, old))
		return ERR_OK;
	e = replace_changed_to(r, r->temp, hex, f);
	restore_name(r);
	r->linked = false;
	return e;
}

enum err replace_remove(int dir, const char *name, struct str path,
			const struct replace_old *old, uint64_t salt,
			char hex[HASH_HEX + 1], struct fault *f)
{
	struct replace r = { .fd = -1 };
	enum err e;

	replace_name(&r, dir, name, path, salt);
	e = replace_take(&r, old, hex, f);
	if (e || !unlinkat(dir, r.temp, 0))
		return e;
	e = fail_os(f, errno, path);
	restore_name(&r);
	return e;
}
