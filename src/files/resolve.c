/*
 * resolve.c - a bounded walk over the components of a path.
 *
 * The state is either inside a root (r->at, a descriptor and the path below
 * it) or outside of all of them (a path as text that nothing is opened from).
 * A rename under our feet shows as EAGAIN and restarts the walk.
 */
#include "files/resolve.h"

#include "base/buf.h"
#include "base/fd.h"
#include "files/path.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <sys/vfs.h>
#include <unistd.h>

enum { MAX_SYMLINKS = 40, MAX_TRIES = 16 };

struct resolver {
	const struct roots *roots;
	struct arena *mem;
	struct str rest;       /* components still to resolve */
	const struct root *at; /* the current root; NULL = outside */
	struct buf where;      /* path below @at; outside: the absolute path */
	bool canonical;        /* outside: @where contains no symlink */
	bool no_symlinks;      /* refuse symlinks and aliases of roots */
	int fd;                /* directory below @at; -1 = @at itself */
	int symlinks;          /* resolved so far */
};

void resolved_drop(struct resolved *p)
{
	fd_drop(&p->dir);
}

static void resolver_drop(struct resolver *r)
{
	buf_free(&r->where);
	fd_drop(&r->fd);
}

static int current_dir(const struct resolver *r)
{
	return r->fd >= 0 ? r->fd : r->at->fd;
}

static bool is_above(struct str path, struct str dir)
{
	struct str rest;

	return dir.len && path_beneath(dir, path, &rest);
}

static void enter_root(struct resolver *r, const struct root *root)
{
	r->at = root;
	fd_drop(&r->fd);
	buf_clear(&r->where, SIZE_MAX);
}

/* Outside the roots, @where must be a root or a directory above one. */
static int check_outside(struct resolver *r)
{
	const struct str where = buf_str(&r->where);
	bool alias = false, canonical = false;

	for (size_t i = 0; i < r->roots->n; i++) {
		const struct root *root = &r->roots->root[i];

		if (str_eq(where, root->real) ||
		    (!r->no_symlinks && str_eq(where, root->given))) {
			enter_root(r, root);
			return root->gone ? ENOENT : 0;
		}
		canonical = canonical || is_above(where, root->real);
		alias = alias || is_above(where, root->given);
	}
	r->canonical = canonical;
	return canonical || alias ? 0 : EXDEV;
}

static int go_outside(struct resolver *r, struct str to)
{
	struct str copy = arena_copy(r->mem, to);

	r->at = NULL;
	fd_drop(&r->fd);
	buf_clear(&r->where, SIZE_MAX);
	buf_add(&r->where, copy);
	return check_outside(r);
}

static int step_outside(struct resolver *r, struct str name)
{
	if (str_is(name, "..")) {
		/* After a symlink, ".." is not the parent in the text. */
		if (!r->canonical)
			return EXDEV;
		return go_outside(r, path_parent(buf_str(&r->where)));
	}
	if (r->where.len > 1)
		buf_addc(&r->where, '/');
	buf_add(&r->where, name);
	return check_outside(r);
}

/* After "..": open the current directory again, from the root down. */
static int reopen_dir(struct resolver *r)
{
	struct str rest = buf_str(&r->where), name;

	fd_drop(&r->fd);
	while (path_next(&rest, &name)) {
		int fd = fd_openat(current_dir(r), arena_cstr(r->mem, name),
				   O_PATH | O_NOFOLLOW | O_DIRECTORY, 0);

		if (fd < 0) /* it existed a moment ago */
			return errno == EACCES ? EACCES : EAGAIN;
		fd_drop(&r->fd);
		r->fd = fd;
	}
	return 0;
}

static int step_up(struct resolver *r)
{
	size_t slash;

	if (!r->where.len) {
		if (str_is(r->at->real, "/"))
			return 0;
		return go_outside(r, path_parent(r->at->real));
	}
	slash = str_rfind(buf_str(&r->where), '/');
	r->where.len = slash < r->where.len ? slash : 0;
	return reopen_dir(r);
}

static int step_symlink(struct resolver *r, int link)
{
	char to[PATH_MAX];
	struct statfs fs;
	ssize_t n;

	if (++r->symlinks > MAX_SYMLINKS)
		return ELOOP;
	/* The text of a magic link in /proc is not its target. */
	if (fstatfs(link, &fs))
		return errno;
	if (fs.f_type == PROC_SUPER_MAGIC)
		return ELOOP;
	n = readlinkat(link, "", to, sizeof(to));
	if (n < 0)
		return errno;
	if ((size_t)n == sizeof(to))
		return ENAMETOOLONG;
	r->rest = arena_printf(r->mem, "%.*s%.*s", (int)n, to, (int)r->rest.len,
			       r->rest.ptr);
	return to[0] == '/' ? go_outside(r, STR("/")) : 0;
}

static void step_down(struct resolver *r, int child, struct str name)
{
	fd_drop(&r->fd);
	r->fd = child;
	if (r->where.len)
		buf_addc(&r->where, '/');
	buf_add(&r->where, name);
}

/* The result: @name in the current directory, or that itself when "". */
static int resolved_set(struct resolver *r, struct str name,
			const struct stat *st, struct resolved *ret)
{
	struct str dir = path_join(r->mem, r->at->real, buf_str(&r->where));

	ret->exists = st != NULL;
	if (st)
		ret->st = *st;
	ret->name = arena_cstr(r->mem, name);
	ret->key = path_join(r->mem, dir, name);
	ret->dir = fcntl(current_dir(r), F_DUPFD_CLOEXEC, 0);
	return ret->dir < 0 ? errno : 0;
}

static int step_inside(struct resolver *r, struct str name,
		       struct resolved *ret, bool *done)
{
	struct str rest = r->rest, next;
	bool last = !path_next(&rest, &next);
	auto_fd child = -1;
	struct stat st;

	child = fd_openat(current_dir(r), arena_cstr(r->mem, name),
			  O_PATH | O_NOFOLLOW, 0);
	if (child < 0 && errno == ENOENT && last && !r->rest.len) {
		*done = true;
		return resolved_set(r, name, NULL, ret);
	}
	if (child < 0 || fstat(child, &st))
		return errno;
	if (S_ISLNK(st.st_mode))
		return r->no_symlinks ? ELOOP : step_symlink(r, child);
	if (!S_ISDIR(st.st_mode) && r->rest.len)
		return ENOTDIR;
	if (last) {
		*done = true;
		return resolved_set(r, name, &st, ret);
	}
	step_down(r, fd_take(&child), name);
	return 0;
}

static int step_next(struct resolver *r, struct str name, struct resolved *ret,
		     bool *done)
{
	if (!r->at)
		return step_outside(r, name);
	if (str_is(name, ".."))
		return step_up(r);
	return step_inside(r, name, ret, done);
}

/* True if @path starts at @name or below it; not for a nameless root. */
static bool leads_through(struct str path, struct str name, struct str *rest)
{
	return name.len && name.ptr[0] == '/' && path_beneath(path, name, rest);
}

/*
 * Enter the root that a walk from "/" would reach first, which is the one with
 * the shortest name. False when there is none, or when a ".." comes before it:
 * then the walk decides.
 */
static bool enter_first_root(struct resolver *r)
{
	const struct str path = r->rest;
	const struct root *first = NULL;
	size_t shortest = SIZE_MAX;

	for (size_t i = 0; i < r->roots->n; i++) {
		const struct root *root = &r->roots->root[i];
		struct str rest;

		if (root->real.len < shortest &&
		    leads_through(path, root->real, &rest)) {
			first = root;
			shortest = root->real.len;
			r->rest = rest;
		}
		if (!r->no_symlinks && root->given.len < shortest &&
		    leads_through(path, root->given, &rest)) {
			first = root;
			shortest = root->given.len;
			r->rest = rest;
		}
	}
	if (first)
		enter_root(r, first);
	return first;
}

static int resolve_once(const struct roots *roots, struct str path,
			bool no_symlinks, struct arena *mem,
			struct resolved *ret)
{
	cleanup(resolver_drop) struct resolver r = { .roots = roots,
						     .mem = mem,
						     .rest = path,
						     .no_symlinks = no_symlinks,
						     .fd = -1 };
	struct str name;
	struct stat st;
	bool done = false;
	int e = 0;

	if (!enter_first_root(&r))
		e = go_outside(&r, STR("/"));
	else if (r.at->gone)
		e = ENOENT;
	while (!e && !done && path_next(&r.rest, &name))
		e = step_next(&r, name, ret, &done);
	if (e || done)
		return e;
	if (!r.at)
		return EXDEV;
	return fstat(current_dir(&r), &st)
		       ? errno
		       : resolved_set(&r, STR(""), &st, ret);
}

int resolve_path(const struct roots *roots, struct str path, struct arena *mem,
		 struct resolved *ret)
{
	int e = EAGAIN;

	for (int i = 0; e == EAGAIN && i < MAX_TRIES; i++)
		e = resolve_once(roots, path, /* no_symlinks= */ false, mem,
				 ret);
	return e;
}

int resolve_key(const struct roots *roots, struct str key, struct arena *mem,
		struct resolved *ret)
{
	return resolve_once(roots, key, /* no_symlinks= */ true, mem, ret);
}
