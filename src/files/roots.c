/*
 * roots.c - opens the roots, and reopens those that were recreated.
 *
 * A set of roots is immutable and reference-counted (roots.h). stat() of each
 * root's path is what a call costs to notice that a root was replaced.
 */
#include "files/roots.h"

#include "base/fd.h"
#include "files/own.h"
#include "files/path.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>
#include <unistd.h>

/*
 * Device nodes are expected on a tmpfs or devtmpfs without nodev, which is
 * what /dev is. Merely opening some devices has an effect (a tape rewinds, a
 * watchdog starts), so there a file is checked by O_PATH first. A device node
 * on an ordinary filesystem is opened without that.
 */
static bool may_have_devices(int fd)
{
	struct statfs fs;

	if (fstatfs(fd, &fs))
		return true;
	return fs.f_type == TMPFS_MAGIC && !(fs.f_flags & ST_NODEV);
}

static struct str real_name(struct arena *mem, int fd, const char *given)
{
	char link[32], to[PATH_MAX];
	struct str real;
	ssize_t n;
	char *c;

	(void)snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = readlink(link, to, sizeof(to));
	if (n > 0 && (size_t)n < sizeof(to))
		return arena_copy(mem, str_make(to, (size_t)n));
	c = realpath(given, NULL); /* without /proc */
	real = arena_copy(mem, str_of(c));
	free(c);
	return real;
}

static bool root_set_identity(int fd, struct root *ret)
{
	struct stat st;

	if (fstat(fd, &st))
		return false;
	ret->dev = st.st_dev;
	ret->ino = st.st_ino;
	ret->has_devices = may_have_devices(fd);
	return true;
}

static bool open_root(struct arena *mem, struct str dir, struct root *ret)
{
	const char *given = arena_cstr(mem, dir);
	auto_fd fd = -1;

	if (!path_absolute(dir))
		return false;
	fd = fd_openat(AT_FDCWD, given, O_PATH | O_DIRECTORY, 0);
	if (fd < 0)
		return false;
	ret->real = real_name(mem, fd, given);
	if (!ret->real.len || !root_set_identity(fd, ret))
		return false;
	ret->path = arena_cstr(mem, ret->real);
	ret->given = STR("");
	if (!path_has(dir, ".."))
		ret->given = path_join(mem, STR("/"), dir);
	ret->fd = fd_take(&fd);
	return true;
}

struct roots *roots_open(const struct str *dirs, size_t n, struct str advice)
{
	struct roots *r = calloc(1, sizeof(*r));

	if (!r)
		out_of_memory();
	r->refs = 1;
	r->advice = arena_copy(&r->mem, advice);
	r->own = arena_new(&r->mem, struct own_cache);
	r->root = arena_array(&r->mem, struct root, n);
	for (size_t i = 0; i < n; i++)
		if (open_root(&r->mem, dirs[i], &r->root[r->n]))
			r->n++;
	return r;
}

/* What the path of a root leads to now. */
enum root_state { ROOT_UNCHANGED, ROOT_REPLACED, ROOT_MISSING };

/*
 * While the descriptor is open, no other directory can get its inode number. A
 * symlink to the same directory counts as unchanged, and so does a path that
 * cannot be accessed.
 */
static enum root_state root_check(const struct root *root)
{
	struct stat st;

	if (fstatat(AT_FDCWD, root->path, &st, 0)) {
		if (errno == ENOENT || errno == ENOTDIR)
			return ROOT_MISSING;
		return root->gone ? ROOT_MISSING : ROOT_UNCHANGED;
	}
	if (st.st_ino == root->ino && st.st_dev == root->dev)
		return ROOT_UNCHANGED;
	if (fstatat(AT_FDCWD, root->path, &st, AT_SYMLINK_NOFOLLOW) ||
	    !S_ISDIR(st.st_mode))
		return ROOT_MISSING;
	return ROOT_REPLACED;
}

bool root_is_named(const struct root *root)
{
	return !root->gone && root_check(root) == ROOT_UNCHANGED;
}

static bool root_has_changed(const struct root *root)
{
	enum root_state state = root_check(root);

	return state == ROOT_REPLACED || root->gone != (state == ROOT_MISSING);
}

/* Open what is at the root's path now, unless through a symlink. */
static void root_reopen(struct arena *mem, const struct root *old,
			struct root *ret)
{
	enum root_state state = root_check(old);
	auto_fd fd = -1;

	*ret = *old;
	ret->given = arena_copy(mem, old->given);
	ret->real = arena_copy(mem, old->real);
	ret->path = arena_cstr(mem, old->real);
	if (state == ROOT_REPLACED)
		fd = fd_openat(AT_FDCWD, ret->path,
			       O_PATH | O_DIRECTORY | O_NOFOLLOW, 0);
	if (fd >= 0 && str_eq(real_name(mem, fd, ret->path), old->real) &&
	    root_set_identity(fd, ret)) {
		ret->gone = false;
		ret->replaced = true;
		ret->fd = fd_take(&fd);
		return;
	}
	ret->gone = state != ROOT_UNCHANGED;
	ret->fd = fcntl(old->fd, F_DUPFD_CLOEXEC, 0);
}

struct roots *roots_renewed(const struct roots *r)
{
	struct roots *made;
	bool any = false, all = true;

	for (size_t i = 0; i < r->n && !any; i++)
		any = root_has_changed(&r->root[i]);
	if (!any)
		return NULL;
	made = roots_open(NULL, 0, r->advice);
	made->root = arena_array(&made->mem, struct root, r->n);
	made->own->items = r->own->items;
	for (; made->n < r->n; made->n++) {
		root_reopen(&made->mem, &r->root[made->n],
			    &made->root[made->n]);
		all = all && made->root[made->n].fd >= 0;
	}
	if (all)
		return made;
	roots_drop(made); /* out of descriptors */
	return NULL;
}

struct roots *roots_ref(struct roots *r)
{
	(void)atomic_fetch_add(&r->refs, 1);
	return r;
}

void roots_drop(struct roots *r)
{
	if (!r || atomic_fetch_sub(&r->refs, 1) > 1)
		return;
	for (size_t i = 0; i < r->n; i++)
		fd_drop(&r->root[i].fd);
	own_view_free(r->own->view);
	arena_free(&r->mem);
	free(r);
}

void roots_dropp(struct roots **r)
{
	roots_drop(*r);
}

const struct root *roots_find_key(const struct roots *r, struct str key,
				  struct str *rest)
{
	const struct root *best = NULL;
	struct str after;

	for (size_t i = 0; i < r->n; i++) {
		const struct root *root = &r->root[i];

		if ((best && root->real.len <= best->real.len) ||
		    !path_beneath(key, root->real, &after))
			continue;
		best = root;
		*rest = after;
	}
	return best;
}

const struct root *roots_find(const struct roots *r, struct str path,
			      struct str *rest)
{
	const struct root *best = NULL;
	size_t longest = 0;

	for (size_t i = 0; i < r->n; i++) {
		const struct str names[] = { r->root[i].given,
					     r->root[i].real };

		for (size_t k = 0; k < COUNT_OF(names); k++) {
			struct str after;

			if (names[k].len <= longest ||
			    !path_beneath(path, names[k], &after))
				continue;
			best = &r->root[i];
			longest = names[k].len;
			*rest = after;
		}
	}
	return best;
}
