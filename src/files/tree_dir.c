/*
 * tree_dir.c - the open directories of a walk, and the files in them.
 *
 * A directory is opened by openat2() without symlinks and without crossing a
 * mount. Where that fails (at a mount point, or without openat2()) an O_PATH
 * descriptor is checked first: pseudo filesystems are never opened for reading,
 * and loops, which only bind mounts can make, are not followed.
 */
#include "base/fd.h"
#include "files/own.h"
#include "files/path.h"
#include "files/replace.h"
#include "files/sys.h"
#include "files/tree_local.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdlib.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>

/* For an entry that is no mount point; else openat2() fails with EXDEV. */
enum { SAME_MOUNT = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_XDEV };

/* Not in all versions of linux/magic.h. */
enum {
	MAGIC_CONFIGFS = 0x62656570,
	MAGIC_FUSECTL = 0x65735543,
	MAGIC_MQUEUE = 0x19800202,
	MAGIC_RESCTRL = 0x7655821,
};

bool tree_is_pseudo(int fd)
{
	struct statfs fs;

	if (fstatfs(fd, &fs))
		return true;
	switch ((unsigned)fs.f_type) {
	case PROC_SUPER_MAGIC:
	case SYSFS_MAGIC:
	case CGROUP_SUPER_MAGIC:
	case CGROUP2_SUPER_MAGIC:
	case DEBUGFS_MAGIC:
	case TRACEFS_MAGIC:
	case DEVPTS_SUPER_MAGIC:
	case SECURITYFS_MAGIC:
	case SELINUX_MAGIC:
	case SMACK_MAGIC:
	case BPF_FS_MAGIC:
	case PSTOREFS_MAGIC:
	case EFIVARFS_MAGIC:
	case BINFMTFS_MAGIC:
	case NSFS_MAGIC:
	case MAGIC_CONFIGFS:
	case MAGIC_FUSECTL:
	case MAGIC_MQUEUE:
	case MAGIC_RESCTRL:
		return true;
	default:
		return false;
	}
}

/* See roots.c: may opening an entry there be opening a device? */
static bool tree_has_devices(int fd)
{
	struct statfs fs;

	return fstatfs(fd, &fs) ||
	       (fs.f_type == TMPFS_MAGIC && !(fs.f_flags & ST_NODEV));
}

static bool same_directory(int a, int b)
{
	struct stat left, right;

	return !fstat(a, &left) && !fstat(b, &right) &&
	       left.st_ino == right.st_ino && left.st_dev == right.st_dev;
}

bool tree_is_loop(const struct tree_dir *dir, int fd)
{
	for (; dir; dir = dir->parent)
		if (same_directory(dir->fd, fd))
			return true;
	return false;
}

int tree_open_directory(const struct tree_dir *dir, const char *name,
			bool *ret_mounted)
{
	static const int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW;
	int fd = sys_openat2(dir->fd, name, flags, SAME_MOUNT);
	auto_fd probe = -1;

	*ret_mounted = false;
	if (fd >= 0 || (errno != EXDEV && errno != ENOSYS && errno != EPERM))
		return fd;
	*ret_mounted = true;
	probe = fd_openat(dir->fd, name, O_PATH | O_DIRECTORY | O_NOFOLLOW, 0);
	if (probe < 0)
		return -1;
	if (tree_is_pseudo(probe)) {
		errno = ENOTSUP;
		return -1;
	}
	if (tree_is_loop(dir, probe)) {
		errno = EDEADLK;
		return -1;
	}
	return fd_openat(probe, ".", flags, 0);
}

static struct str key_below(char *to, struct str key, struct str name)
{
	size_t n = key.len;

	memcpy(to, key.ptr, key.len);
	if (name.len) {
		if (n && to[n - 1] != '/')
			to[n++] = '/';
		memcpy(to + n, name.ptr, name.len);
		n += name.len;
	}
	to[n] = '\0';
	return str_make(to, n);
}

struct tree_dir *tree_dir_new(struct tree *tree, int fd, struct str key,
			      struct str name, const struct tree_dir *parent)
{
	struct tree_dir *d = malloc(sizeof(*d) + key.len + name.len + 2);

	if (!d)
		out_of_memory();
	*d = (struct tree_dir){ .fd = fd,
				.refs = 1,
				.tree = tree,
				.parent = parent,
				.depth = parent ? parent->depth + 1 : 0 };
	d->key = key_below((char *)(d + 1), key, name);
	d->near_own = (!parent || parent->near_own) &&
		      own_is_near(tree->roots, d->key);
	d->has_devices = parent ? parent->has_devices : tree_has_devices(fd);
	atomic_fetch_add(&tree->refs, 1);
	return d;
}

struct tree_dir *tree_dir_at(struct tree_dir *dir, const char *name)
{
	bool mounted;
	int fd = tree_open_directory(dir, name, &mounted);

	return fd < 0 ? NULL
		      : tree_dir_new(dir->tree, fd, dir->key, str_of(name),
				     dir);
}

struct tree_dir *tree_dir_ref(struct tree_dir *dir)
{
	atomic_fetch_add(&dir->refs, 1);
	return dir;
}

static void tree_drop(struct tree *tree)
{
	if (atomic_fetch_sub(&tree->refs, 1) != 1)
		return;
	own_inodes_free(tree->own);
	roots_drop(tree->roots);
	(void)pthread_mutex_destroy(&tree->lock);
	(void)pthread_cond_destroy(&tree->released);
	free(tree);
}

static void dir_close(struct tree_dir *dir)
{
	struct tree *tree = dir->tree;

	fd_drop(&dir->fd);
	free(dir);
	tree_drop(tree);
}

void tree_dir_drop(struct tree_dir *dir)
{
	if (!dir || atomic_fetch_sub(&dir->refs, 1) != 1)
		return;
	(void)pthread_mutex_lock(&dir->tree->lock);
	if (dir->detached) {
		dir->tree->detached--;
		(void)pthread_cond_signal(&dir->tree->released);
	}
	(void)pthread_mutex_unlock(&dir->tree->lock);
	dir_close(dir);
}

/*
 * The lock is held over both steps, so that the thread that drops the last
 * reference right now sees the mark.
 */
void tree_dir_leave(struct tree_dir *dir)
{
	bool last;

	(void)pthread_mutex_lock(&dir->tree->lock);
	last = atomic_fetch_sub(&dir->refs, 1) == 1;
	if (!last) {
		dir->detached = true;
		dir->tree->detached++;
	}
	(void)pthread_mutex_unlock(&dir->tree->lock);
	if (last)
		dir_close(dir);
}

void tree_wait(struct tree *tree, const struct tree_visitor *v)
{
	bool full;

	(void)pthread_mutex_lock(&tree->lock);
	full = tree->detached >= TREE_MOST_DETACHED;
	(void)pthread_mutex_unlock(&tree->lock);
	if (!full)
		return;
	if (v->waits)
		v->waits(v->ctx);
	(void)pthread_mutex_lock(&tree->lock);
	while (tree->detached >= TREE_MOST_DETACHED)
		(void)pthread_cond_wait(&tree->released, &tree->lock);
	(void)pthread_mutex_unlock(&tree->lock);
}

/* Is the entry @name of @dir one of stet's own files? */
static bool is_own(const struct tree_dir *dir, struct str name)
{
	auto_arena mem = ARENA_INIT;

	return own_covers(dir->tree->roots, path_join(&mem, dir->key, name),
			  NULL);
}

bool tree_hides(const struct tree_dir *dir, struct str name)
{
	return replace_is_temp(name) || (dir->near_own && is_own(dir, name));
}

bool tree_is_own_link(struct tree_dir *dir, const struct stat *st)
{
	struct tree *tree = dir->tree;
	bool own;

	if (st->st_nlink < 2 || !S_ISREG(st->st_mode))
		return false;
	(void)pthread_mutex_lock(&tree->lock);
	own = own_has_inode(tree->roots, &tree->own, st);
	(void)pthread_mutex_unlock(&tree->lock);
	return own;
}

bool tree_stat(struct tree_dir *dir, const char *name, struct stat *ret)
{
	return !fstatat(dir->fd, name, ret, AT_SYMLINK_NOFOLLOW);
}

void tree_file_drop(struct tree_file *file)
{
	fd_drop(&file->fd);
}

static enum tree_opened open_failed(int error)
{
	switch (error) {
	case ENOENT:
	case ELOOP: /* a symlink by now */
		return TREE_GONE;
	case ENXIO: /* a socket, or a FIFO */
		return TREE_NOT_FILE;
	default:
		return TREE_DENIED;
	}
}

enum tree_opened tree_open(struct tree_dir *dir, const char *name,
			   struct tree_file *ret)
{
	static const int flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY;
	auto_fd fd = -1;

	ret->fd = -1;
	if (dir->has_devices && tree_stat(dir, name, &ret->st) &&
	    !S_ISREG(ret->st.st_mode))
		return S_ISLNK(ret->st.st_mode) ? TREE_GONE : TREE_NOT_FILE;
	fd = fd_openat(dir->fd, name, flags, 0);
	if (fd < 0 || fstat(fd, &ret->st))
		return open_failed(errno);
	if (!S_ISREG(ret->st.st_mode))
		return TREE_NOT_FILE;
	if (tree_is_own_link(dir, &ret->st))
		return TREE_OWN;
	ret->fd = fd_take(&fd);
	return TREE_OPENED;
}

ssize_t tree_pread(const struct tree_file *file, void *to, size_t n,
		   uint64_t offset)
{
	return fd_pread_once(file->fd, to, n, (off_t)offset);
}

enum err tree_read(struct tree_dir *dir, const char *name, size_t max,
		   struct arena *mem, struct str *ret,
		   struct stat_data *ret_stat)
{
	auto_tree_file file = { .fd = -1 };
	enum tree_opened got = tree_open(dir, name, &file);
	char *bytes;
	ssize_t n;

	if (got == TREE_GONE || got == TREE_OWN)
		return ERR_NOT_FOUND;
	if (got == TREE_NOT_FILE)
		return ERR_NOT_A_FILE;
	if (got == TREE_DENIED)
		return ERR_DENIED;
	if ((uint64_t)file.st.st_size > max)
		return ERR_TOO_LARGE;
	bytes = arena_alloc(mem, (size_t)file.st.st_size + 1);
	n = fd_pread(file.fd, bytes, (size_t)file.st.st_size, 0);
	if (n < 0)
		return ERR_IO;
	*ret = str_make(bytes, (size_t)n);
	*ret_stat = stat_data_of(&file.st);
	return ERR_OK;
}
