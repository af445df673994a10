/*
 * stat.c - what is at a path of the disk, without reading it.
 *
 * ws_stat() resolves a path and returns its key and metadata; ws_details() has
 * more of them, for people; ws_present() tests several names in one directory.
 * None of them opens the file itself.
 */
#include "base/fd.h"
#include "files/beneath.h"
#include "files/local.h"
#include "files/own.h"
#include "files/path.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>

enum err local_stat(struct workspace *ws, struct str path, struct arena *mem,
		    struct file_info *ret, struct fault *f)
{
	auto_roots *roots = local_roots((struct ws_local *)ws);
	auto_resolved p = RESOLVED_INIT;
	struct str rest, key;
	enum err e;

	e = beneath_key(roots, path, mem, &p, &rest, &key, f);
	if (e)
		return e;
	*ret = (struct file_info){ .key = key };
	if (own_covers(roots, key, NULL))
		return own_refused(path, f);
	if (rest.len || !p.exists)
		return ERR_OK;
	ret->exists = true;
	ret->is_file = S_ISREG(p.st.st_mode);
	ret->stat = stat_data_of(&p.st);
	ret->mode = p.st.st_mode & 07777;
	return ERR_OK;
}

static enum ws_entry_kind kind_of(mode_t mode)
{
	if (S_ISDIR(mode))
		return WS_ENTRY_DIRECTORY;
	return S_ISREG(mode) ? WS_ENTRY_FILE : WS_ENTRY_OTHER;
}

static int64_t statx_ns(struct statx_timestamp t)
{
	return t.tv_sec * 1000000000 + t.tv_nsec;
}

/* All that statx() knows; what has vanished since was not there. */
static enum err read_details(const struct resolved *p, struct str path,
			     struct file_details *ret, struct fault *f)
{
	struct statx sx;

	if (statx(p->dir, p->name, AT_SYMLINK_NOFOLLOW | AT_EMPTY_PATH,
		  STATX_BASIC_STATS | STATX_BTIME, &sx))
		return errno == ENOENT ? fail(f, ERR_NOT_FOUND, .path = path)
				       : fail_os(f, errno, path);
	*ret = (struct file_details){
		.key = p->key,
		.kind = kind_of(sx.stx_mode),
		.size = sx.stx_size,
		.created =
			sx.stx_mask & STATX_BTIME ? statx_ns(sx.stx_btime) : 0,
		.modified = statx_ns(sx.stx_mtime),
		.accessed = statx_ns(sx.stx_atime),
		.mode = sx.stx_mode & 07777,
	};
	return ERR_OK;
}

enum err local_details(struct workspace *ws, struct str path, struct arena *mem,
		       struct file_details *ret, struct fault *f)
{
	auto_roots *roots = local_roots((struct ws_local *)ws);
	auto_resolved p = RESOLVED_INIT;
	enum err e = beneath_resolve(roots, path, mem, &p, f);

	if (e == ERR_NO_PARENT || (!e && !p.exists))
		return fail(f, ERR_NOT_FOUND, .path = path);
	if (e)
		return e;
	if (own_covers(roots, p.key, &p.st))
		return own_refused(path, f);
	return read_details(&p, path, ret, f);
}

static unsigned names_in(int dir, const char *const *names)
{
	unsigned found = 0;
	struct stat st;

	for (unsigned i = 0; names[i]; i++)
		if (!fstatat(dir, names[i], &st, AT_SYMLINK_NOFOLLOW) ||
		    errno != ENOENT)
			found |= 1u << i;
	return found;
}

/*
 * Where openat2() cannot decide, every name is reported as possibly present.
 * The roots are not checked again: the caller has just accessed a file in them.
 */
struct present local_present(struct workspace *ws, struct str dir,
			     const char *const *names, struct arena *mem)
{
	auto_roots *roots = local_roots_unchecked((struct ws_local *)ws);
	struct present ret = { .names = UINT_MAX };
	struct str rest, above;
	const struct root *root = roots_find(roots, dir, &rest);
	auto_fd fd = -1;

	if (!root || root->gone)
		return ret;
	ret.at_root = !rest.len && !roots_find(roots, path_parent(dir), &above);
	if (rest.len)
		fd = beneath_directory(root, rest, mem);
	if (fd >= 0 || !rest.len)
		ret.names = names_in(rest.len ? fd : root->fd, names);
	return ret;
}
