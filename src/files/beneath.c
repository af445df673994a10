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
	MOST_TRIES = 32,
	QUICK = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS | RESOLVE_NO_SYMLINKS |
		RESOLVE_NO_XDEV, /* see own_mounts_look() */
};

static const int to_read = O_RDONLY | O_NONBLOCK | O_NOCTTY;

static atomic_bool slowly;

void beneath_slowly(bool always)
{
	slowly = always;
}

void opened_drop(struct opened *o)
{
	fd_drop(&o->fd);
}

/* EAGAIN: something was renamed while the kernel looked at a "..". */
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
	       (errno == EINTR || (errno == EAGAIN && ++tries < MOST_TRIES)));
	return fd;
}

/*
 * Answers that say nothing about the path yet: a link, another mount, a way
 * out and back, a kernel or a filter that does not let us use openat2.
 */
static bool undecided(int error)
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

/* Landlock knows the directory that it was told of, not its name. */
static bool is_out_of_reach(const struct roots *roots, int error,
			    struct str path)
{
	struct str rest;
	const struct root *root = roots_find(roots, path, &rest);

	return error == EACCES && root && root->replaced &&
	       confine_now().landlock;
}

static enum err refuse(const struct roots *roots, int error, struct str path,
		       struct arena *mem, struct fault *f)
{
	struct str *list;

	if (is_out_of_reach(roots, error, path))
		return fail(
			f, ERR_DENIED, .path = path, .os = error,
			.hint = STR(
				"the root was deleted or moved and made anew, and stet is confined to the directory that it was: restart stet, or run it with --confine=syscalls"));
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

	for (int i = 0; i < MOST_TRIES && fd < 0 && error == ELOOP; i++) {
		auto_place p = PLACE_INIT;

		error = follow(roots, path, mem, &p);
		if (!error)
			ret->key = p.key;
		if (!error && !p.exists)
			error = ENOENT;
		if (!error && !S_ISREG(p.st.st_mode))
			error = ENXIO;
		if (error)
			break;
		/* ELOOP now: it has just become a link. */
		fd = fd_openat(p.dir, p.name, to_read | O_NOFOLLOW, 0);
		error = errno;
	}
	own_mounts_look();
	errno = error;
	return fd;
}

/* -1 with errno: ENXIO for what is no file. */
static int open_at_root(const struct root *root, const char *rest)
{
	auto_fd look = -1;
	struct stat st;

	if (!root->has_devices)
		return open_quick(root, rest, to_read);
	look = open_quick(root, rest, O_PATH);
	if (look < 0 || fstat(look, &st))
		return -1;
	if (!S_ISREG(st.st_mode)) {
		errno = ENXIO;
		return -1;
	}
	return open_quick(root, rest, to_read);
}

static int open_somehow(const struct roots *roots, struct str path,
			struct arena *mem, struct opened *ret)
{
	struct str rest;
	const struct root *root = roots_find(roots, path, &rest);
	int fd;

	if (!root || slowly)
		return open_slowly(roots, path, mem, ret);
	fd = open_at_root(root, arena_cstr(mem, rest));
	if (fd < 0 && undecided(errno))
		return open_slowly(roots, path, mem, ret);
	if (fd >= 0)
		ret->key = path_join(mem, root->real, rest);
	return fd;
}

enum err beneath_open(const struct roots *roots, struct str path,
		      struct arena *mem, struct opened *ret, struct fault *f)
{
	auto_fd fd = -1;

	ret->key = STR("");
	if (!path_absolute(path))
		return fail(f, ERR_NOT_ABSOLUTE, .path = path);
	fd = open_somehow(roots, path, mem, ret);
	if (fd < 0 || fstat(fd, &ret->st))
		return refuse(roots, errno, path, mem, f);
	if (!S_ISREG(ret->st.st_mode))
		return fail(f, ERR_NOT_A_FILE, .path = path);
	if (own_covers(roots, ret->key, &ret->st))
		return own_refused(path, f);
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

/* The last name of @rest, when there is one that can be a file's. */
static bool split_last(struct str rest, struct str *dir, struct str *name)
{
	size_t slash = str_rfind(rest, '/');

	*dir = slash < rest.len ? str_head(rest, slash) : STR("");
	*name = rest;
	if (slash < rest.len)
		*name = str_make(rest.ptr + slash + 1, rest.len - slash - 1);
	return name->len && !str_is(*name, ".") && !str_is(*name, "..");
}

/* 0, an errno value, or ELOOP where it takes the slow way to know. */
static int place_quick(const struct root *root, struct str rest,
		       struct arena *mem, struct place *ret)
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

/* What follow() has found, with the directory open for reading if it may. */
static int place_opened(int e, struct place *ret)
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

enum err beneath_place(const struct roots *roots, struct str path,
		       struct arena *mem, struct place *ret, struct fault *f)
{
	const struct root *root;
	struct str rest;
	int e = ELOOP;

	if (!path_absolute(path))
		return fail(f, ERR_NOT_ABSOLUTE, .path = path);
	root = roots_find(roots, path, &rest);
	if (root && !slowly)
		e = place_quick(root, rest, mem, ret);
	if (undecided(e)) {
		e = place_opened(follow(roots, path, mem, ret), ret);
		own_mounts_look();
	}
	if (e == ENOENT || e == ENOTDIR)
		return fail(f, ERR_NO_PARENT, .path = path, .os = e);
	if (e)
		return refuse(roots, e, path, mem, f);
	if (own_covers(roots, ret->key, ret->exists ? &ret->st : NULL))
		return own_refused(path, f);
	return ERR_OK;
}

enum err beneath_place_key(const struct roots *roots, struct str key,
			   struct arena *mem, struct place *ret,
			   struct fault *f)
{
	struct str rest;
	const struct root *root = roots_find_key(roots, key, &rest);
	int e = ENOSYS;

	if (root && !slowly)
		e = place_quick(root, rest, mem, ret);
	/* A root has no name beneath itself; old kernels have no openat2. */
	if (e == ENOSYS || e == EPERM || e == EINVAL || e == EXDEV ||
	    (root && !rest.len)) {
		e = place_opened(follow_no_links(roots, key, mem, ret), ret);
		own_mounts_look();
	}
	if (e == ELOOP || e == EAGAIN)
		return fail(f, ERR_CHANGED, .path = key);
	if (e == ENOENT || e == ENOTDIR)
		return fail(f, ERR_NO_PARENT, .path = key, .os = e);
	if (e)
		return refuse(roots, e, key, mem, f);
	if (own_covers(roots, ret->key, ret->exists ? &ret->st : NULL))
		return own_refused(key, f);
	return ERR_OK;
}

/* Where the kernel does not tell, or spells the name in another case. */
static bool is_at_slowly(const struct roots *roots, int fd, struct str key,
			 struct arena *mem)
{
	auto_place p = PLACE_INIT;
	const struct root *root;
	struct str rest;
	struct stat st;

	root = roots_find_key(roots, key, &rest);
	return root && root_is_named(root) &&
	       !follow_no_links(roots, key, mem, &p) && p.exists &&
	       !fstat(fd, &st) && st.st_ino == p.st.st_ino &&
	       st.st_dev == p.st.st_dev;
}

/* The kernel's own name of an open file, which no rename can tear. */
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

/* beneath_place() or beneath_place_key() */
typedef enum err place_finder(const struct roots *, struct str, struct arena *,
			      struct place *, struct fault *);

static enum err nearest(const struct roots *roots, struct str path,
			place_finder *find, struct arena *mem,
			struct place *ret, struct str *ret_rest,
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
	/* not even the root is there */
	if (e && above.reason && !strcmp(above.reason, "outside_roots"))
		return ERR_NO_PARENT;
	if (e)
		return fault_set(f, &above);
	*ret_rest = str_skip(path, at.len);
	return ERR_OK;
}

enum err beneath_nearest(const struct roots *roots, struct str path,
			 struct arena *mem, struct place *ret,
			 struct str *ret_rest, struct fault *f)
{
	return nearest(roots, path, beneath_place, mem, ret, ret_rest, f);
}

enum err beneath_nearest_key(const struct roots *roots, struct str key,
			     struct arena *mem, struct place *ret,
			     struct str *ret_rest, struct fault *f)
{
	return nearest(roots, key, beneath_place_key, mem, ret, ret_rest, f);
}

enum err beneath_key(const struct roots *roots, struct str path,
		     struct arena *mem, struct place *ret, struct str *ret_rest,
		     struct str *ret_key, struct fault *f)
{
	enum err e = beneath_nearest(roots, path, mem, ret, ret_rest, f);

	if (e)
		return e;
	if (path_has(*ret_rest, "..") || str_ends(*ret_rest, STR("/")))
		return fail(f, ERR_NO_PARENT, .path = path, .os = ENOENT);
	*ret_key = path_join(mem, ret->key, *ret_rest);
	return ERR_OK;
}
