/*
 * beneath.c - opens files and directories below a root by openat2().
 *
 * What openat2() refuses to decide goes to resolve.c. Every result is checked
 * against stet's own files (own.h) before it is returned.
 */
#include "files/beneath.h"

#include "base/confine.h"
#include "base/fd.h"
#include "files/own.h"
#include "files/path.h"
#include "files/sys.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <unistd.h>

enum {
	MAX_TRIES = 32,
	QUICK = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS | RESOLVE_NO_SYMLINKS |
		RESOLVE_NO_XDEV, /* see own_mounts_check() */
};

static const int read_flags = O_RDONLY | O_NONBLOCK | O_NOCTTY;

static atomic_bool slowly;

void beneath_slowly(bool always)
{
	slowly = always;
}

void opened_drop(struct opened *o)
{
	fd_drop(&o->fd);
}

/* The kernel returns EAGAIN when a rename races with "..": try again. */
static int open_quick(const struct root *root, const char *rest, int flags)
{
	int fd, tries = 0;

	if (root->gone) {
		errno = ENOENT;
		return -1;
	}
	if (!rest[0])
		rest = ".";
	do
		fd = sys_openat2(root->fd, rest, flags, QUICK);
	while (fd < 0 &&
	       (errno == EINTR || (errno == EAGAIN && ++tries < MAX_TRIES)));
	return fd;
}

/*
 * Errors that say nothing about the path yet: a symlink, another mount, ".."
 * above the root and back, or a kernel or seccomp filter without openat2().
 */
static bool is_undecided(int error)
{
	switch (error) {
	case ELOOP:
	case EXDEV:
	case EAGAIN:
	case ENOSYS:
	case EPERM:
	case EINVAL:
		return true;
	default:
		return false;
	}
}

/* Landlock allows an inode: a root that was recreated is out of its reach. */
static bool is_lost_to_landlock(const struct roots *roots, int error,
				struct str path)
{
	struct str rest;
	const struct root *root = roots_find(roots, path, &rest);

	return error == EACCES && root && root->replaced &&
	       confine_now().landlock;
}

static enum err beneath_refuse(const struct roots *roots, int error,
			       struct str path, struct arena *mem,
			       struct fault *f)
{
	struct str *list;

	if (is_lost_to_landlock(roots, error, path))
		return fail(
			f, ERR_DENIED, .path = path, .os = error,
			.hint = STR(
				"the root was deleted or moved and created again, and stet is confined to the former directory: restart stet, or run it with --confine=syscalls"));
	if (error != EXDEV)
		return fail_os(f, error, path);
	list = arena_array(mem, struct str, roots->n);
	for (size_t i = 0; i < roots->n; i++)
		list[i] = arena_copy(mem, roots->root[i].real);
	return fail(f, ERR_DENIED, .path = path, .os = EACCES,
		    .reason = "outside_roots", .roots = list,
		    .roots_count = roots->n,
		    .hint = arena_copy(mem, roots->advice));
}

/* A descriptor, or -1 with errno; ret->key is set with it. */
static int open_slowly(const struct roots *roots, struct str path,
		       struct arena *mem, struct opened *ret)
{
	int fd = -1, error = ELOOP;

	for (int i = 0; i < MAX_TRIES && fd < 0 && error == ELOOP; i++) {
		auto_resolved p = RESOLVED_INIT;

		error = resolve_path(roots, path, mem, &p);
		if (!error)
			ret->key = p.key;
		if (!error && !p.exists)
			error = ENOENT;
		if (!error && !S_ISREG(p.st.st_mode))
			error = ENXIO;
		if (error)
			break;
		/* ELOOP: replaced by a symlink since it was resolved. */
		fd = fd_openat(p.dir, p.name, read_flags | O_NOFOLLOW, 0);
		error = errno;
	}
	own_mounts_check();
	errno = error;
	return fd;
}

/* -1 with errno; ENXIO: not a regular file. */
static int open_at_root(const struct root *root, const char *rest)
{
	auto_fd probe = -1;
	struct stat st;

	if (!root->has_devices)
		return open_quick(root, rest, read_flags);
	probe = open_quick(root, rest, O_PATH);
	if (probe < 0 || fstat(probe, &st))
		return -1;
	if (!S_ISREG(st.st_mode)) {
		errno = ENXIO;
		return -1;
	}
	return open_quick(root, rest, read_flags);
}

static int open_path(const struct roots *roots, struct str path,
		     struct arena *mem, struct opened *ret)
{
	struct str rest;
	const struct root *root = roots_find(roots, path, &rest);
	int fd;

	if (!root || slowly)
		return open_slowly(roots, path, mem, ret);
	fd = open_at_root(root, arena_cstr(mem, rest));
	if (fd < 0 && is_undecided(errno))
		return open_slowly(roots, path, mem, ret);
	if (fd >= 0)
		ret->key = path_join(mem, root->real, rest);
	return fd;
}

static bool leads_to_own(const struct roots *roots, struct str path,
			 struct arena *mem);

enum err beneath_open(const struct roots *roots, struct str path,
		      struct arena *mem, struct opened *ret, struct fault *f)
{
	auto_fd fd = -1;
	int error;

	ret->key = STR("");
	if (!path_absolute(path))
		return fail(f, ERR_NOT_ABSOLUTE, .path = path);
	fd = open_path(roots, path, mem, ret);
	if (fd < 0 || fstat(fd, &ret->st)) {
		error = errno;
		return leads_to_own(roots, path, mem)
			       ? own_refused(path, f)
			       : beneath_refuse(roots, error, path, mem, f);
	}
	if (own_covers(roots, ret->key, &ret->st))
		return own_refused(path, f);
	if (!S_ISREG(ret->st.st_mode))
		return fail(f, ERR_NOT_A_FILE, .path = path);
	ret->fd = fd_take(&fd);
	return ERR_OK;
}

int beneath_directory(const struct root *root, struct str rest,
		      struct arena *mem)
{
	if (slowly)
		return -1;
	return open_quick(root, arena_cstr(mem, rest), O_PATH | O_DIRECTORY);
}

/* Split off the last component; false unless it can be a file's name. */
static bool split_last(struct str rest, struct str *dir, struct str *name)
{
	size_t slash = str_rfind(rest, '/');

	*dir = slash < rest.len ? str_head(rest, slash) : STR("");
	*name = rest;
	if (slash < rest.len)
		*name = str_make(rest.ptr + slash + 1, rest.len - slash - 1);
	return name->len && !str_is(*name, ".") && !str_is(*name, "..");
}

/* 0 or an errno value; ELOOP when resolve.h has to decide. */
static int resolve_quick(const struct root *root, struct str rest,
			 struct arena *mem, struct resolved *ret)
{
	struct str dir, name;
	auto_fd fd = -1;

	if (!split_last(rest, &dir, &name))
		return ELOOP;
	fd = open_quick(root, arena_cstr(mem, dir), O_RDONLY | O_DIRECTORY);
	if (fd < 0 && errno == EACCES)
		fd = open_quick(root, arena_cstr(mem, dir),
				O_PATH | O_DIRECTORY);
	if (fd < 0)
		return errno;
	ret->name = arena_cstr(mem, name);
	ret->exists = !fstatat(fd, ret->name, &ret->st, AT_SYMLINK_NOFOLLOW);
	if (!ret->exists && errno != ENOENT)
		return errno;
	if (ret->exists && S_ISLNK(ret->st.st_mode))
		return ELOOP;
	ret->key = path_join(mem, root->real, rest);
	ret->dir = fd_take(&fd);
	return 0;
}

/* Reopen the directory of a result of resolve.h for reading, if permitted. */
static int reopen_for_reading(int e, struct resolved *ret)
{
	int fd;

	if (e)
		return e;
	fd = fd_openat(ret->dir, ".", O_RDONLY | O_DIRECTORY, 0);
	if (fd >= 0) {
		fd_drop(&ret->dir);
		ret->dir = fd;
	}
	return 0;
}

static enum err resolve_once(const struct roots *roots, struct str path,
			     struct arena *mem, struct resolved *ret,
			     struct fault *f)
{
	const struct root *root;
	struct str rest;
	int e = ELOOP;

	if (!path_absolute(path))
		return fail(f, ERR_NOT_ABSOLUTE, .path = path);
	root = roots_find(roots, path, &rest);
	if (root && !slowly)
		e = resolve_quick(root, rest, mem, ret);
	if (is_undecided(e)) {
		e = reopen_for_reading(resolve_path(roots, path, mem, ret),
				       ret);
		own_mounts_check();
	}
	if (e == ENOENT || e == ENOTDIR)
		return fail(f, ERR_NO_PARENT, .path = path, .os = e);
	if (e)
		return beneath_refuse(roots, e, path, mem, f);
	if (own_covers(roots, ret->key, ret->exists ? &ret->st : NULL))
		return own_refused(path, f);
	return ERR_OK;
}

enum err beneath_resolve_key(const struct roots *roots, struct str key,
			     struct arena *mem, struct resolved *ret,
			     struct fault *f)
{
	struct str rest;
	const struct root *root = roots_find_key(roots, key, &rest);
	int e = ENOSYS;

	if (root && !slowly)
		e = resolve_quick(root, rest, mem, ret);
	/* A root has no name below itself; old kernels have no openat2(). */
	if (e == ENOSYS || e == EPERM || e == EINVAL || e == EXDEV ||
	    (root && !rest.len)) {
		e = reopen_for_reading(resolve_key(roots, key, mem, ret), ret);
		own_mounts_check();
	}
	if (e == ELOOP || e == EAGAIN)
		return fail(f, ERR_CHANGED, .path = key);
	if (e == ENOENT || e == ENOTDIR)
		return fail(f, ERR_NO_PARENT, .path = key, .os = e);
	if (e)
		return beneath_refuse(roots, e, key, mem, f);
	if (own_covers(roots, ret->key, ret->exists ? &ret->st : NULL))
		return own_refused(key, f);
	return ERR_OK;
}

/* Without /proc, or on a case-insensitive filesystem: resolve again. */
static bool is_at_slowly(const struct roots *roots, int fd, struct str key,
			 struct arena *mem)
{
	auto_resolved p = RESOLVED_INIT;
	const struct root *root;
	struct str rest;
	struct stat st;

	root = roots_find_key(roots, key, &rest);
	return root && root_is_named(root) &&
	       !resolve_key(roots, key, mem, &p) && p.exists &&
	       !fstat(fd, &st) && st.st_ino == p.st.st_ino &&
	       st.st_dev == p.st.st_dev;
}

/* /proc/self/fd has the current path of an open file, renames included. */
bool beneath_is_at(const struct roots *roots, int fd, struct str key,
		   struct arena *mem)
{
	char link[sizeof("/proc/self/fd/") + 3 * sizeof(int)], to[PATH_MAX];
	ssize_t n = -1;

	if (!slowly) {
		(void)snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
		n = readlinkat(AT_FDCWD, link, to, sizeof(to));
	}
	if (n > 0 && str_eq(str_make(to, (size_t)n), key))
		return true;
	return is_at_slowly(roots, fd, key, mem);
}

/* The type of beneath_resolve() and beneath_resolve_key(). */
typedef enum err resolve_function(const struct roots *, struct str,
				  struct arena *, struct resolved *,
				  struct fault *);

static enum err nearest_with(const struct roots *roots, struct str path,
			     resolve_function *find, struct arena *mem,
			     struct resolved *ret, struct str *ret_rest,
			     struct fault *f)
{
	enum err e = find(roots, path, mem, ret, f);
	struct str at = path;
	struct fault above = { 0 };

	if (e && e != ERR_NO_PARENT)
		return e;
	while (e == ERR_NO_PARENT && at.len) {
		at = path_cut(at);
		e = find(roots, at, mem, ret, &above);
	}
	/* the root itself was removed */
	if (e && above.reason && !strcmp(above.reason, "outside_roots"))
		return ERR_NO_PARENT;
	if (e)
		return fault_set(f, &above);
	*ret_rest = str_skip(path, at.len);
	return ERR_OK;
}

enum err beneath_nearest(const struct roots *roots, struct str path,
			 struct arena *mem, struct resolved *ret,
			 struct str *ret_rest, struct fault *f)
{
	return nearest_with(roots, path, resolve_once, mem, ret, ret_rest, f);
}

enum err beneath_nearest_key(const struct roots *roots, struct str key,
			     struct arena *mem, struct resolved *ret,
			     struct str *ret_rest, struct fault *f)
{
	return nearest_with(roots, key, beneath_resolve_key, mem, ret, ret_rest,
			    f);
}

enum err beneath_key(const struct roots *roots, struct str path,
		     struct arena *mem, struct resolved *ret,
		     struct str *ret_rest, struct str *ret_key, struct fault *f)
{
	enum err e = beneath_nearest(roots, path, mem, ret, ret_rest, f);

	if (e)
		return e;
	if (path_has(*ret_rest, "..") || str_ends(*ret_rest, STR("/")))
		return fail(f, ERR_NO_PARENT, .path = path, .os = ENOENT);
	*ret_key = path_join(mem, ret->key, *ret_rest);
	return ERR_OK;
}

/*
 * Would the path lead to one of stet's own files? For a path that could not be
 * opened or resolved: whether such a file exists is not told.
 */
static bool leads_to_own(const struct roots *roots, struct str path,
			 struct arena *mem)
{
	auto_resolved r = RESOLVED_INIT;
	struct fault f = { 0 };
	struct str rest = STR(""), key = STR("");

	if (beneath_key(roots, path, mem, &r, &rest, &key, &f))
		return f.reason && !strcmp(f.reason, "config");
	return own_covers(roots, key, NULL);
}

enum err beneath_resolve(const struct roots *roots, struct str path,
			 struct arena *mem, struct resolved *ret,
			 struct fault *f)
{
	enum err e = resolve_once(roots, path, mem, ret, f);

	if (e && e != ERR_NOT_ABSOLUTE && leads_to_own(roots, path, mem))
		return own_refused(path, f);
	return e;
}
