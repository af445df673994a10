/*
 * parents.c - mkdir and rmdir of the directories above a file.
 *
 * Before each mkdir the parent's descriptor is compared with its key
 * (beneath_is_at()), so that a directory moved meanwhile is not filled.
 */
#include "files/parents.h"

#include "base/fd.h"
#include "files/beneath.h"
#include "files/path.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

struct parents_op {
	const struct roots *roots;
	bool durable;
	struct arena *mem;
	struct parents *ret;
	struct fault *f;
};

/* fsync the directory that holds the new name. */
static int sync_name(const struct resolved *p)
{
	auto_fd fd = -1;

	if (!fd_fsync(p->dir))
		return 0;
	if (errno != EBADF) /* O_PATH: not readable, so it cannot be synced */
		return -1;
	fd = fd_openat(p->dir, p->name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0);
	return fd < 0 ? -1 : syncfs(fd);
}

static int make_at(struct parents_op *m, struct str path,
		   const struct resolved *p)
{
	struct parent *made = &m->ret->made[m->ret->n];
	struct stat st;
	int error;

	if (!beneath_is_at(m->roots, p->dir, path_parent(p->key), m->mem)) {
		errno = ESTALE;
		return -1;
	}
	if (mkdirat(p->dir, p->name, 0777))
		return errno == EEXIST
			       ? 0
			       : -1; /* another process created it first */
	if (fstatat(p->dir, p->name, &st, AT_SYMLINK_NOFOLLOW)) {
		error = errno;
		(void)unlinkat(p->dir, p->name, AT_REMOVEDIR);
		errno = error;
		return -1;
	}
	*made = (struct parent){ path, st.st_dev, st.st_ino };
	m->ret->n++;
	return m->durable ? sync_name(p) : 0;
}

static enum err make_one(struct parents_op *m, struct str path)
{
	auto_resolved p = RESOLVED_INIT;
	enum err e = beneath_resolve_key(m->roots, path, m->mem, &p, m->f);

	if (e)
		return e;
	if (p.exists && !S_ISDIR(p.st.st_mode))
		return fail(m->f, ERR_NO_PARENT, .path = path, .os = ENOTDIR);
	if (p.exists || !make_at(m, path, &p))
		return ERR_OK;
	/* its parent directory was moved meanwhile */
	if (errno == ESTALE)
		return fail(m->f, ERR_CHANGED, .path = path);
	return fail_os(m->f, errno, path);
}

/* The length of @path up to and with the component after @len bytes. */
static size_t next_component(struct str path, size_t len)
{
	while (len < path.len && path.ptr[len] == '/')
		len++;
	while (len < path.len && path.ptr[len] != '/')
		len++;
	return len;
}

enum err parents_make(const struct roots *roots, struct str key, bool durable,
		      struct arena *mem, struct parents *ret, struct fault *f)
{
	struct parents_op m = { roots, durable, mem, ret, f };
	size_t end = path_cut(key).len;
	auto_resolved p = RESOLVED_INIT;
	struct str rest;
	enum err e;

	*ret = (struct parents){ 0 };
	e = beneath_nearest_key(roots, key, mem, &p, &rest, f);
	if (e)
		return e;
	ret->made = arena_array(mem, struct parent, rest.len + 1);
	for (size_t at = key.len - rest.len; !e && at <= end;
	     at = next_component(key, at))
		e = make_one(&m, str_head(key, at));
	return e;
}

static void undo_one(const struct roots *roots, const struct parent *made,
		     struct arena *mem)
{
	auto_resolved p = RESOLVED_INIT;
	struct fault ignored;

	if (beneath_resolve_key(roots, made->path, mem, &p, &ignored) ||
	    !p.exists || p.st.st_ino != made->ino || p.st.st_dev != made->dev)
		return;
	(void)unlinkat(p.dir, p.name, AT_REMOVEDIR);
}

void parents_undo(const struct roots *roots, struct parents *p,
		  struct arena *mem)
{
	while (p->n)
		undo_one(roots, &p->made[--p->n], mem);
}

/* File times are of the kernel's last tick, up to 10 ms in the past. */
enum { TICK_MS = 20 };

static bool made_since(const struct resolved *p, uint64_t since_ms)
{
	struct statx sx;

	if (statx(p->dir, p->name, AT_SYMLINK_NOFOLLOW | AT_STATX_DONT_SYNC,
		  STATX_BTIME, &sx) ||
	    !(sx.stx_mask & STATX_BTIME))
		return false;
	return (uint64_t)sx.stx_btime.tv_sec * 1000 +
		       sx.stx_btime.tv_nsec / 1000000 + TICK_MS >=
	       since_ms;
}

/* True = it is gone, or was never made: the one above may be empty. */
static bool prune_one(const struct roots *roots, struct str dir,
		      uint64_t since_ms, struct arena *mem)
{
	auto_resolved p = RESOLVED_INIT;
	struct fault ignored;
	enum err e = beneath_resolve_key(roots, dir, mem, &p, &ignored);

	if (e == ERR_NO_PARENT || (!e && !p.exists))
		return true;
	return !e && S_ISDIR(p.st.st_mode) && made_since(&p, since_ms) &&
	       beneath_is_at(roots, p.dir, path_parent(p.key), mem) &&
	       !unlinkat(p.dir, p.name, AT_REMOVEDIR);
}

void parents_prune(const struct roots *roots, struct str key, uint64_t since_ms,
		   struct arena *mem)
{
	struct str dir = path_parent(key);

	while (dir.len > 1 && prune_one(roots, dir, since_ms, mem))
		dir = path_parent(dir);
}
