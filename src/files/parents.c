/*
 * parents.c - make the missing directories above a file, and remove them
 * again when they turn out not to be needed.
 */
#include "files/parents.h"

#include "base/fd.h"
#include "files/beneath.h"
#include "files/path.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

struct making {
	const struct roots *roots;
	bool durable;
	struct arena *mem;
	struct parents *ret;
	struct fault *f;
};

/* The name of the new directory is on the disk, too. */
static int sync_name(const struct place *p)
{
	auto_fd fd = -1;

	if (!fd_fsync(p->dir))
		return 0;
	if (errno != EBADF) /* we may not read it, so not sync it */
		return -1;
	fd = fd_openat(p->dir, p->name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0);
	return fd < 0 ? -1 : syncfs(fd);
}

static int make_at(struct making *m, struct str path, const struct place *p)
{
	struct parent *made = &m->ret->made[m->ret->n];
	struct stat st;
	int error;

	if (!beneath_is_at(m->roots, p->dir, path_parent(p->key), m->mem)) {
		errno = ESTALE;
		return -1;
	}
	if (mkdirat(p->dir, p->name, 0777))
		return errno == EEXIST ? 0 : -1; /* somebody was faster */
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

static enum err make_one(struct making *m, struct str path)
{
	auto_place p = PLACE_INIT;
	enum err e = beneath_place_key(m->roots, path, m->mem, &p, m->f);

	if (e)
		return e;
	if (p.exists && !S_ISDIR(p.st.st_mode))
		return fail(m->f, ERR_NO_PARENT, .path = path, .os = ENOTDIR);
	if (p.exists || !make_at(m, path, &p))
		return ERR_OK;
	/* The directory that holds it was moved in the meantime. */
	if (errno == ESTALE)
		return fail(m->f, ERR_CHANGED, .path = path);
	return fail_os(m->f, errno, path);
}

/* One name more than the first @len bytes of @path have. */
static size_t one_more(struct str path, size_t len)
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
	struct making m = { roots, durable, mem, ret, f };
	size_t end = path_cut(key).len;
	auto_place p = PLACE_INIT;
	struct str rest;
	enum err e;

	*ret = (struct parents){ 0 };
	e = beneath_nearest_key(roots, key, mem, &p, &rest, f);
	if (e)
		return e;
	ret->made = arena_array(mem, struct parent, rest.len + 1);
	for (size_t at = key.len - rest.len; !e && at <= end;
	     at = one_more(key, at))
		e = make_one(&m, str_head(key, at));
	return e;
}

static void undo_one(const struct roots *roots, const struct parent *made,
		     struct arena *mem)
{
	auto_place p = PLACE_INIT;
	struct fault spare;

	if (beneath_place_key(roots, made->path, mem, &p, &spare) ||
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

/* The kernel's stamps are those of its last tick, before the time of a call. */
enum { TICK_MS = 20 };

static bool made_since(const struct place *p, uint64_t since_ms)
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

static bool prune_one(const struct roots *roots, struct str dir,
		      uint64_t since_ms, struct arena *mem)
{
	auto_place p = PLACE_INIT;
	struct fault spare;

	return !beneath_place_key(roots, dir, mem, &p, &spare) && p.exists &&
	       S_ISDIR(p.st.st_mode) && made_since(&p, since_ms) &&
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
