#include "files/follow.h"

#include "base/buf.h"
#include "base/fd.h"
#include "files/path.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <sys/vfs.h>
#include <unistd.h>

enum { MOST_LINKS = 40, MOST_TRIES = 16 };

struct walk {
	const struct roots *roots;
	struct arena *mem;
	struct str rest;       /* still to go */
	const struct root *at; /* NULL = outside */
	struct buf where;      /* outside the whole path, else below @at */
	bool sure;             /* outside: where has no links in it */
	bool no_links; /* a link is ELOOP, a root's other name nothing */
	int fd;        /* the directory below @at; -1 = @at itself */
	int links;
};

void place_drop(struct place *p)
{
	fd_drop(&p->dir);
}

static void walk_drop(struct walk *w)
{
	buf_free(&w->where);
	fd_drop(&w->fd);
}

static int here(const struct walk *w)
{
	return w->fd >= 0 ? w->fd : w->at->fd;
}

static bool is_above(struct str path, struct str dir)
{
	struct str rest;

	return dir.len && path_beneath(dir, path, &rest);
}

static void enter(struct walk *w, const struct root *root)
{
	w->at = root;
	fd_drop(&w->fd);
	buf_clear(&w->where, SIZE_MAX);
}

/* Outside at @where: a root, on the way to one, or nowhere we may be. */
static int arrive(struct walk *w)
{
	const struct str where = buf_str(&w->where);
	bool near = false, sure = false;

	for (size_t i = 0; i < w->roots->n; i++) {
		const struct root *root = &w->roots->root[i];

		if (str_eq(where, root->real) ||
		    (!w->no_links && str_eq(where, root->given))) {
			enter(w, root);
			return root->gone ? ENOENT : 0;
		}
		sure = sure || is_above(where, root->real);
		near = near || is_above(where, root->given);
	}
	w->sure = sure;
	return sure || near ? 0 : EXDEV;
}

static int go_outside(struct walk *w, struct str to)
{
	struct str copy = arena_copy(w->mem, to);

	w->at = NULL;
	fd_drop(&w->fd);
	buf_clear(&w->where, SIZE_MAX);
	buf_add(&w->where, copy);
	return arrive(w);
}

static int step_outside(struct walk *w, struct str name)
{
	if (str_is(name, "..")) {
		/* Through a link it would lead elsewhere than it looks. */
		if (!w->sure)
			return EXDEV;
		return go_outside(w, path_parent(buf_str(&w->where)));
	}
	if (w->where.len > 1)
		buf_addc(&w->where, '/');
	buf_add(&w->where, name);
	return arrive(w);
}

/* Go down from the root again to where we are: after a "..". */
static int reopen(struct walk *w)
{
	struct str rest = buf_str(&w->where), name;

	fd_drop(&w->fd);
	while (path_next(&rest, &name)) {
		int fd = fd_openat(here(w), arena_cstr(w->mem, name),
				   O_PATH | O_NOFOLLOW | O_DIRECTORY, 0);

		if (fd < 0) /* it was there a moment ago */
			return errno == EACCES ? EACCES : EAGAIN;
		fd_drop(&w->fd);
		w->fd = fd;
	}
	return 0;
}

static int step_up(struct walk *w)
{
	size_t slash;

	if (!w->where.len) {
		if (str_is(w->at->real, "/"))
			return 0;
		return go_outside(w, path_parent(w->at->real));
	}
	slash = str_rfind(buf_str(&w->where), '/');
	w->where.len = slash < w->where.len ? slash : 0;
	return reopen(w);
}

static int step_link(struct walk *w, int link)
{
	char to[PATH_MAX];
	struct statfs fs;
	ssize_t n;

	if (++w->links > MOST_LINKS)
		return ELOOP;
	/* Those of /proc lead where their text does not say. */
	if (fstatfs(link, &fs))
		return errno;
	if (fs.f_type == PROC_SUPER_MAGIC)
		return ELOOP;
	n = readlinkat(link, "", to, sizeof(to));
	if (n < 0)
		return errno;
	if ((size_t)n == sizeof(to))
		return ENAMETOOLONG;
	w->rest = arena_printf(w->mem, "%.*s%.*s", (int)n, to, (int)w->rest.len,
			       w->rest.ptr);
	return to[0] == '/' ? go_outside(w, STR("/")) : 0;
}

static void go_down(struct walk *w, int child, struct str name)
{
	fd_drop(&w->fd);
	w->fd = child;
	if (w->where.len)
		buf_addc(&w->where, '/');
	buf_add(&w->where, name);
}

/* The end: what is called @name here, or here itself when it is "". */
static int stop(struct walk *w, struct str name, const struct stat *st,
		struct place *ret)
{
	struct str dir = path_join(w->mem, w->at->real, buf_str(&w->where));

	ret->exists = st != NULL;
	if (st)
		ret->st = *st;
	ret->name = arena_cstr(w->mem, name);
	ret->key = path_join(w->mem, dir, name);
	ret->dir = fcntl(here(w), F_DUPFD_CLOEXEC, 0);
	return ret->dir < 0 ? errno : 0;
}

static int step_inside(struct walk *w, struct str name, struct place *ret,
		       bool *done)
{
	struct str rest = w->rest, next;
	bool last = !path_next(&rest, &next);
	auto_fd child = -1;
	struct stat st;

	child = fd_openat(here(w), arena_cstr(w->mem, name),
			  O_PATH | O_NOFOLLOW, 0);
	if (child < 0 && errno == ENOENT && last && !w->rest.len) {
		*done = true;
		return stop(w, name, NULL, ret);
	}
	if (child < 0 || fstat(child, &st))
		return errno;
	if (S_ISLNK(st.st_mode))
		return w->no_links ? ELOOP : step_link(w, child);
	if (!S_ISDIR(st.st_mode) && w->rest.len)
		return ENOTDIR;
	if (last) {
		*done = true;
		return stop(w, name, &st, ret);
	}
	go_down(w, fd_take(&child), name);
	return 0;
}

static int step(struct walk *w, struct str name, struct place *ret, bool *done)
{
	if (!w->at)
		return step_outside(w, name);
	if (str_is(name, ".."))
		return step_up(w);
	return step_inside(w, name, ret, done);
}

static int follow_once(const struct roots *roots, struct str path,
		       bool no_links, struct arena *mem, struct place *ret)
{
	cleanup(walk_drop) struct walk w = { .roots = roots,
					     .mem = mem,
					     .rest = path,
					     .no_links = no_links,
					     .fd = -1 };
	struct str name;
	struct stat st;
	bool done = false;
	int e = go_outside(&w, STR("/"));

	while (!e && !done && path_next(&w.rest, &name))
		e = step(&w, name, ret, &done);
	if (e || done)
		return e;
	if (!w.at)
		return EXDEV;
	return fstat(here(&w), &st) ? errno : stop(&w, STR(""), &st, ret);
}

int follow(const struct roots *roots, struct str path, struct arena *mem,
	   struct place *ret)
{
	int e = EAGAIN;

	for (int i = 0; e == EAGAIN && i < MOST_TRIES; i++)
		e = follow_once(roots, path, /* no_links= */ false, mem, ret);
	return e;
}

int follow_no_links(const struct roots *roots, struct str key,
		    struct arena *mem, struct place *ret)
{
	return follow_once(roots, key, /* no_links= */ true, mem, ret);
}
