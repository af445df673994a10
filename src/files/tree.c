/*
 * tree.c - resolves the start of a walk, and walks.
 *
 * Recursive, one level per directory, at most TREE_MOST_DEPTH. Holds a
 * descriptor for each directory on the way to the current one.
 */
#include "files/tree.h"

#include "base/fd.h"
#include "files/beneath.h"
#include "files/local.h"
#include "files/own.h"
#include "files/path.h"
#include "files/tree_local.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>

struct tree_state {
	const struct tree_visitor *v;
	struct tree_names names;
	char *batch;
	bool stopped;
};

static struct tree *tree_new(struct roots *roots)
{
	struct tree *t = calloc(1, sizeof(*t));

	if (!t)
		out_of_memory();
	t->roots = roots_ref(roots);
	(void)pthread_mutex_init(&t->lock, NULL);
	(void)pthread_cond_init(&t->released, NULL);
	return t;
}

void tree_place_drop(struct tree_place *p)
{
	tree_dir_drop(p->dir);
	p->dir = NULL;
}

static enum tree_kind place_kind(mode_t mode)
{
	if (S_ISREG(mode))
		return TREE_FILE;
	return S_ISDIR(mode) ? TREE_DIRECTORY : TREE_OTHER;
}

/* A descriptor for the place: of the directory itself, or of its parent. */
static int place_open(const struct resolved *at, enum tree_kind kind)
{
	static const int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW;
	int fd;

	if (kind == TREE_DIRECTORY)
		return fd_openat(at->dir, at->name[0] ? at->name : ".", flags,
				 0);
	fd = fd_openat(at->dir, ".", flags, 0);
	return fd >= 0 ? fd : fd_openat(at->dir, ".", flags | O_PATH, 0);
}

enum err local_tree(struct workspace *ws, struct str path, struct arena *mem,
		    struct tree_place *ret, struct fault *f)
{
	auto_roots *roots = local_roots((struct ws_local *)ws);
	auto_resolved at = RESOLVED_INIT;
	enum err e = beneath_resolve(roots, path, mem, &at, f);
	struct str dir;
	int fd;

	if (e == ERR_NO_PARENT || (!e && !at.exists))
		return fail(f, ERR_NOT_FOUND, .path = path);
	if (e)
		return e;
	ret->kind = place_kind(at.st.st_mode);
	ret->key = at.key;
	ret->name = ret->kind == TREE_DIRECTORY ? STR("") : str_of(at.name);
	fd = place_open(&at, ret->kind);
	if (fd < 0)
		return fail_os(f, errno, path);
	own_mounts_check();
	dir = ret->kind == TREE_DIRECTORY ? at.key : path_parent(at.key);
	ret->dir = tree_dir_new(tree_new(roots), fd, dir, STR(""), NULL);
	return ERR_OK;
}

static void tree_visit(struct tree_state *k, struct tree_dir *dir);

static void tree_report_refusal(struct tree_state *k, struct tree_dir *dir,
				struct str name, int error)
{
	enum tree_refusal why = TREE_UNREADABLE;

	if (error == ENOENT || error == ENOTDIR || error == ELOOP ||
	    !k->v->not_entered)
		return; /* removed or replaced since it was listed */
	if (error == ENOTSUP)
		why = TREE_PSEUDO;
	else if (error == EDEADLK)
		why = TREE_LOOP;
	else if (error == ENAMETOOLONG)
		why = TREE_TOO_DEEP;
	k->v->not_entered(k->v->ctx, dir, name, why);
}

static void tree_enter(struct tree_state *k, struct tree_dir *dir,
		       struct str name)
{
	struct tree_dir *child;
	bool mounted = false;
	int fd = -1;

	tree_wait(dir->tree, k->v);
	errno = ENAMETOOLONG;
	if (dir->depth < TREE_MOST_DEPTH)
		fd = tree_open_directory(dir, name.ptr, &mounted);
	if (fd < 0) {
		tree_report_refusal(k, dir, name, errno);
		return;
	}
	if (mounted)
		own_mounts_check();
	child = tree_dir_new(dir->tree, fd, dir->key, name, dir);
	if (mounted)
		child->has_devices = true;
	tree_visit(k, child);
	tree_dir_leave(child);
}

/* False to leave the directory. */
static bool tree_visit_entry(struct tree_state *k, struct tree_dir *dir,
			     struct tree_entry e)
{
	enum tree_next next;

	if (tree_hides(dir, e.name))
		return true;
	next = k->v->entry(k->v->ctx, dir, &e);
	k->stopped = k->stopped || next == TREE_STOP;
	if (e.kind == TREE_DIRECTORY) {
		if (next == TREE_GO)
			tree_enter(k, dir, e.name);
		return !k->stopped;
	}
	return next == TREE_GO;
}

static void tree_visit(struct tree_state *k, struct tree_dir *dir)
{
	const struct tree_visitor *v = k->v;
	enum tree_next next = TREE_GO;
	struct tree_list list;
	int error;

	if (v->stop && v->stop(v->ctx)) {
		k->stopped = true;
		return;
	}
	error = tree_list_read(&k->names, dir, k->batch, v, &list);
	if (error) {
		k->stopped = error == ECANCELED;
		if (!k->stopped)
			tree_report_refusal(k, dir, STR(""), error);
		return;
	}
	if (v->enter)
		next = v->enter(v->ctx, dir, &list);
	k->stopped = next == TREE_STOP;
	for (size_t i = 0; next == TREE_GO && i < tree_list_count(&list); i++)
		if (!tree_visit_entry(k, dir, tree_list_at(&list, i)))
			break;
	if (v->leave && next == TREE_GO)
		v->leave(v->ctx, dir);
	tree_list_pop(&k->names, &list);
}

bool tree_walk(struct tree_place *place, const struct tree_visitor *v)
{
	struct tree_state k = { .v = v };

	if (tree_is_pseudo(place->dir->fd)) {
		tree_report_refusal(&k, place->dir, STR(""), ENOTSUP);
		return true;
	}
	k.batch = malloc(TREE_BATCH);
	if (!k.batch)
		out_of_memory();
	tree_visit(&k, place->dir);
	tree_names_free(&k.names);
	free(k.batch);
	return !k.stopped;
}

/* The outermost root that contains @key. */
static const struct root *outermost_root(const struct roots *roots,
					 struct str key, struct str *ret_rest)
{
	const struct root *found = NULL;
	struct str rest;

	for (size_t i = 0; i < roots->n; i++)
		if (path_beneath(key, roots->root[i].real, &rest) &&
		    (!found || rest.len > ret_rest->len)) {
			found = &roots->root[i];
			*ret_rest = rest;
		}
	return found;
}

void tree_above(struct tree_place *place,
		void (*each)(void *ctx, struct tree_dir *dir), void *ctx)
{
	static const int flags = O_PATH | O_DIRECTORY | O_NOFOLLOW;
	struct tree *tree = place->dir->tree;
	struct str rest, name, key = place->key;
	const struct root *root = outermost_root(tree->roots, key, &rest);
	int fd = root ? fd_openat(root->fd, ".", flags, 0) : -1;

	if (!root)
		return;
	key = root->real;
	while (fd >= 0 && path_next(&rest, &name)) {
		auto_arena mem = ARENA_INIT;
		struct tree_dir *dir =
			tree_dir_new(tree, fd, key, STR(""), NULL);

		each(ctx, dir);
		key = str_head(place->key,
			       (size_t)(name.ptr - place->key.ptr) + name.len);
		fd = fd_openat(dir->fd, arena_cstr(&mem, name), flags, 0);
		tree_dir_drop(dir);
	}
	fd_drop(&fd);
}
