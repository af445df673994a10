/*
 * lstat.c - ws_lstat(), and how a name is resolved for itself: its directory by
 * beneath.h, then fstatat() in that.
 */
#include "files/lstat.h"

#include "base/fd.h"
#include "files/beneath.h"
#include "files/local.h"
#include "files/own.h"
#include "files/path.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <unistd.h>

bool lstat_holds_root(const struct roots *roots, struct str key)
{
	struct str rest;

	for (size_t i = 0; i < roots->n; i++)
		if (path_beneath(roots->root[i].real, key, &rest))
			return true;
	return false;
}

/* Open the directory @above and look for the name there. */
static enum err open_in(const struct roots *roots, const struct resolved *above,
			struct str name, struct arena *mem,
			struct resolved *ret, struct fault *f)
{
	static const int flags = O_DIRECTORY | O_NOFOLLOW;
	const char *dir = above->name[0] ? above->name : ".";
	auto_fd fd = fd_openat(above->dir, dir, O_RDONLY | flags, 0);

	if (fd < 0 && errno == EACCES)
		fd = fd_openat(above->dir, dir, O_PATH | flags, 0);
	if (fd < 0 && (errno == ENOENT || errno == ENOTDIR || errno == ELOOP))
		return fail(f, ERR_NO_PARENT, .path = ret->key, .os = errno);
	if (fd < 0)
		return fail_os(f, errno, ret->key);
	ret->name = arena_cstr(mem, name);
	ret->exists = !fstatat(fd, ret->name, &ret->st, AT_SYMLINK_NOFOLLOW);
	if (!ret->exists && errno != ENOENT)
		return fail_os(f, errno, ret->key);
	if (own_covers(roots, ret->key, ret->exists ? &ret->st : NULL))
		return own_refused(ret->key, f);
	ret->dir = fd_take(&fd);
	return ERR_OK;
}

/* A root, or a path that ends in "." or "..": there is no symlink at its end. */
static enum err resolve_whole(const struct roots *roots, struct str path,
			      struct arena *mem, struct resolved *ret,
			      struct fault *f)
{
	auto_resolved p = RESOLVED_INIT;
	struct str rest;
	enum err e = beneath_resolve(roots, path, mem, &p, f);

	if (e)
		return e;
	if (!p.name[0] && (!roots_find_key(roots, p.key, &rest) || rest.len))
		return lstat_resolve_key(roots, p.key, mem, ret, f);
	*ret = p;
	p.dir = -1;
	return ERR_OK;
}

static bool is_root(const struct roots *roots, struct str path)
{
	struct str rest;

	return roots_find(roots, path, &rest) && !rest.len;
}

static struct str without_slashes(struct str path)
{
	while (path.len > 1 && path.ptr[path.len - 1] == '/')
		path.len--;
	return path;
}

enum err lstat_resolve(const struct roots *roots, struct str path,
		       struct arena *mem, struct resolved *ret, struct fault *f)
{
	auto_resolved above = RESOLVED_INIT;
	struct str full = without_slashes(path), dir = path_cut(full);
	struct str name = str_skip(full, dir.len), rest, key;
	enum err e;

	while (str_starts(name, STR("/")))
		name = str_skip(name, 1);
	if (!path_absolute(path) || !name.len || str_is(name, ".") ||
	    str_is(name, "..") || is_root(roots, full))
		return resolve_whole(roots, path, mem, ret, f);
	e = beneath_key(roots, dir.len ? dir : STR("/"), mem, &above, &rest,
			&key, f);
	if (e) {
		f->path = path;
		return e;
	}
	ret->key = path_join(mem, key, name);
	if (!rest.len && above.exists && S_ISDIR(above.st.st_mode))
		e = open_in(roots, &above, name, mem, ret, f);
	else if (own_covers(roots, ret->key, NULL))
		e = own_refused(path, f);
	if (e)
		f->path = path;
	return e;
}

enum err lstat_resolve_key(const struct roots *roots, struct str key,
			   struct arena *mem, struct resolved *ret,
			   struct fault *f)
{
	auto_resolved above = RESOLVED_INIT;
	struct str dir = path_parent(key);
	size_t skip = dir.len > 1 ? dir.len + 1 : 1;
	enum err e = beneath_resolve_key(roots, dir, mem, &above, f);

	if (e)
		return e;
	ret->key = key;
	if (!above.exists)
		return fail(f, ERR_NO_PARENT, .path = key, .os = ENOENT);
	if (S_ISLNK(above.st.st_mode))
		return fail(f, ERR_CHANGED, .path = key);
	return open_in(roots, &above, str_skip(key, skip), mem, ret, f);
}

static enum ws_entry_kind node_kind(mode_t mode)
{
	if (S_ISDIR(mode))
		return WS_ENTRY_DIRECTORY;
	if (S_ISLNK(mode))
		return WS_ENTRY_LINK;
	return S_ISREG(mode) ? WS_ENTRY_FILE : WS_ENTRY_OTHER;
}

/* The target of a symlink. */
static enum err read_target(const struct resolved *p, struct arena *mem,
			    struct str *ret, struct fault *f)
{
	char *to = arena_alloc(mem, PATH_MAX);
	ssize_t n = readlinkat(p->dir, p->name, to, PATH_MAX);

	if (n < 0)
		return fail_os(f, errno, p->key);
	*ret = str_make(to, (size_t)n);
	return ERR_OK;
}

enum err local_lstat(struct workspace *ws, struct str path, struct arena *mem,
		     struct node_info *ret, struct fault *f)
{
	auto_roots *roots = local_roots((struct ws_local *)ws);
	auto_resolved p = RESOLVED_INIT;
	enum err e = lstat_resolve(roots, path, mem, &p, f);

	if (e)
		return e;
	*ret = (struct node_info){ .key = p.key,
				   .has_parent = p.dir >= 0,
				   .is_root = lstat_holds_root(roots, p.key),
				   .exists = p.exists };
	if (!p.exists)
		return ERR_OK;
	ret->kind = node_kind(p.st.st_mode);
	ret->stat = stat_data_of(&p.st);
	ret->mode = p.st.st_mode & 07777;
	if (ret->kind == WS_ENTRY_LINK)
		e = read_target(&p, mem, &ret->target, f);
	return e;
}
