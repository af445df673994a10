/*
 * own.c - finds the names of stet's own files within a set of roots.
 *
 * Accesses directories only when the roots or the mounts are new. Relies on the
 * kernel for the identity of a directory (device and inode) and for the list of
 * mounts. A view is immutable once published in roots->own; older views are
 * freed with the roots, as calls may still use them.
 */
#include "files/own.h"

#include "base/fd.h"
#include "files/path.h"
#include "text/display/caseless.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/sysmacros.h>
#include <unistd.h>

enum {
	MAX_STEPS = 64,   /* directories above an own file */
	MAX_SYMLINKS = 8, /* in a chain that ends at a missing file */
	MAX_DEPTH = 3,    /* of our own directories */
	MAX_MOUNTS_BYTES = 4 * 1024 * 1024,
};

struct own_id {
	uint64_t dev, ino;
};

/* The directories from "/" down to an item, each with the rest of the path. */
struct own_trail {
	struct {
		struct own_id id;
		struct str rest;
	} step[MAX_STEPS];
	size_t n;
};

/* A directory in which own files may have names: a root, or a mount in one. */
struct own_anchor {
	struct str real;
	struct own_id id;
};

struct own_view {
	struct arena mem;
	const struct own_items *items; /* items of which the names are */
	struct own_view *older; /* the previous view, perhaps still in use */
	atomic_uint mounts;     /* value of mount_changes when it was made */
	struct str *name;
	size_t n;
	struct own_anchor *anchor;
	size_t anchors;
};

static bool same_id(struct own_id a, struct own_id b)
{
	return a.dev == b.dev && a.ino == b.ino;
}

/* Does not trigger automounts or wait for a network server. */
static bool id_of(const char *path, struct own_id *ret)
{
	struct statx sx;

	if (statx(AT_FDCWD, path, AT_NO_AUTOMOUNT | AT_STATX_DONT_SYNC,
		  STATX_INO, &sx))
		return false;
	*ret = (struct own_id){ makedev(sx.stx_dev_major, sx.stx_dev_minor),
				sx.stx_ino };
	return true;
}

static struct str real_of(struct arena *mem, struct str path)
{
	char *c = realpath(arena_cstr(mem, path), NULL);
	struct str real = c ? arena_copy(mem, str_of(c)) : STR("");

	free(c);
	return real;
}

/* The existing part of @path, without symlinks; *@rest is the remainder. */
static struct str existing_prefix(struct arena *mem, struct str path,
				  struct str *rest)
{
	struct str at = path, real = real_of(mem, at);

	while (!real.len && at.len) {
		at = path_cut(at);
		real = real_of(mem, at);
	}
	if (!real.len)
		real = STR("/");
	*rest = str_skip(path, at.len);
	return real;
}

static void trail_add(struct own_trail *t, struct str whole, size_t len,
		      struct arena *mem)
{
	struct str at = str_head(whole, len ? len : 1);
	struct str rest = str_skip(whole, len);

	if (t->n < MAX_STEPS && id_of(arena_cstr(mem, at), &t->step[t->n].id))
		t->step[t->n++].rest = rest;
}

/* The directories above @real/@rest; @rest has no symlinks. */
static void trail_make(struct own_trail *t, struct str real, struct str rest,
		       struct arena *mem)
{
	struct str whole = path_join(mem, real, rest);

	t->n = 0;
	trail_add(t, whole, 0, mem);
	for (size_t i = 1; i <= whole.len && i <= real.len; i++)
		if (i == whole.len || whole.ptr[i] == '/')
			trail_add(t, whole, i, mem);
}

/* If the first component of @rest is a symlink: the path that it leads to. */
static bool next_symlink(struct str real, struct str rest, struct arena *mem,
			 struct str *ret)
{
	char to[PATH_MAX];
	struct str name, link;
	ssize_t n;

	if (!path_next(&rest, &name))
		return false;
	link = path_join(mem, real, name);
	n = readlink(arena_cstr(mem, link), to, sizeof(to));
	if (n <= 0 || (size_t)n >= sizeof(to))
		return false;
	*ret = arena_printf(mem, STR_FMT "%s%.*s" STR_FMT,
			    STR_ARG(to[0] == '/' ? STR("") : real),
			    to[0] == '/' ? "" : "/", (int)n, to, STR_ARG(rest));
	return true;
}

/*
 * Visit every location of @item: that of its own path, and the targets of
 * symlinks from there, existing or not.
 */
static void item_trace(const struct own_item *item, struct arena *mem,
		       void (*visit)(void *ctx, const struct own_trail *t),
		       void *ctx)
{
	struct str path = item->path, rest, real, above;
	struct own_trail t;

	for (int i = 0; i < MAX_SYMLINKS; i++) {
		above = path_cut(path);
		real = existing_prefix(mem, above, &rest);
		rest = path_join(mem, path_join(mem, STR("/"), rest),
				 str_skip(path, above.len));
		trail_make(&t, real, rest, mem);
		visit(ctx, &t);
		if (!next_symlink(real, rest, mem, &path))
			break;
	}
}

static void view_add_name(struct own_view *v, struct str name)
{
	*arena_add(&v->mem, v->name, v->n) = name;
}

static void view_add_anchor(struct own_view *v, struct str real,
			    struct own_id id)
{
	*arena_add(&v->mem, v->anchor, v->anchors) =
		(struct own_anchor){ real, id };
}

/* The kernel escapes blanks in mountinfo as "\040". */
static struct str mount_unescape(struct str s, struct arena *mem)
{
	char *to = arena_alloc(mem, s.len + 1);
	size_t n = 0;

	for (size_t i = 0; i < s.len; i++, n++) {
		to[n] = s.ptr[i];
		if (s.ptr[i] != '\\' || i + 3 >= s.len)
			continue;
		to[n] = (char)((s.ptr[i + 1] - '0') << 6 |
			       (s.ptr[i + 2] - '0') << 3 |
			       (s.ptr[i + 3] - '0'));
		i += 3;
	}
	return str_make(to, n);
}

static pthread_once_t mounts_once = PTHREAD_ONCE_INIT;
static int mounts_file = -1; /* set once, never closed */

static void open_mounts(void)
{
	mounts_file = fd_openat(AT_FDCWD, "/proc/self/mountinfo", O_RDONLY, 0);
}

void own_open_mounts(void)
{
	(void)pthread_once(&mounts_once, open_mounts);
}

static pthread_mutex_t mounts_lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_uint mount_changes; /* counter; written under mounts_lock */

/* poll() reports a change once: the lock makes others wait for the count. */
void own_mounts_check(void)
{
	struct pollfd list = { .events = POLLPRI };

	own_open_mounts();
	list.fd = mounts_file;
	(void)pthread_mutex_lock(&mounts_lock);
	if (mounts_file >= 0 && poll(&list, 1, 0) > 0)
		atomic_fetch_add(&mount_changes, 1);
	(void)pthread_mutex_unlock(&mounts_lock);
}

/* A read from the start of the file returns the current mounts. */
static struct str mounts_text(struct arena *mem)
{
	size_t room = 16 * 1024, len = 0;
	char *text = arena_alloc(mem, room);
	ssize_t got;

	own_open_mounts();
	while (mounts_file >= 0 &&
	       (got = fd_pread_once(mounts_file, text + len, room - len,
				    (off_t)len)) > 0) {
		len += (size_t)got;
		if (len < room)
			continue;
		if (room >= MAX_MOUNTS_BYTES)
			break;
		text = arena_grow(mem, text, room, room * 2);
		room *= 2;
	}
	return str_make(text, len);
}

static void view_add_mount(struct own_view *v, const struct roots *roots,
			   struct str at)
{
	struct str rest;
	struct own_id id;

	for (size_t i = 0; i < roots->n; i++)
		if (path_beneath(at, roots->root[i].real, &rest) && rest.len) {
			if (id_of(arena_cstr(&v->mem, at), &id))
				view_add_anchor(v, at, id);
			return;
		}
}

/* A bind mount within a root may be a second path to an own directory. */
static void view_add_mounts(struct own_view *v, const struct roots *roots)
{
	struct str text = mounts_text(&v->mem), line, word;

	while (text.len && str_split(&text, '\n', &line)) {
		for (int field = 0; field < 5; field++)
			if (!str_split(&line, ' ', &word))
				word = STR("");
		if (word.len)
			view_add_mount(v, roots, mount_unescape(word, &v->mem));
	}
}

static void view_add_item(void *ctx, const struct own_trail *t)
{
	struct own_view *v = ctx;

	for (size_t a = 0; a < v->anchors; a++)
		for (size_t i = 0; i < t->n; i++)
			if (same_id(t->step[i].id, v->anchor[a].id))
				view_add_name(v, path_join(&v->mem,
							   v->anchor[a].real,
							   t->step[i].rest));
}

static bool may_have_inode(const struct own_items *items, struct own_id want,
			   unsigned mode);

/* A mount of an own file, or of a directory inside an own one. */
static bool is_mount_of_ours(const struct own_items *items,
			     const struct own_anchor *at, struct arena *mem)
{
	struct stat st;
	struct own_id id;

	if (fstatat(AT_FDCWD, arena_cstr(mem, at->real), &st,
		    AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT))
		return false;
	for (size_t i = 0; i < items->n; i++)
		if (id_of(arena_cstr(mem, items->item[i].path), &id) &&
		    id.dev == st.st_dev)
			return may_have_inode(items, at->id, st.st_mode);
	return false;
}

static struct own_view *view_make(const struct own_items *items,
				  const struct roots *roots)
{
	struct own_view *v = calloc(1, sizeof(*v));
	size_t n;

	if (!v)
		out_of_memory();
	v->items = items;
	v->mounts = atomic_load(&mount_changes);
	for (size_t i = 0; i < roots->n; i++) {
		const struct root *root = &roots->root[i];

		view_add_anchor(v, arena_copy(&v->mem, root->real),
				(struct own_id){ root->dev, root->ino });
	}
	view_add_mounts(v, roots);
	n = v->anchors;
	for (size_t i = 0; i < n; i++)
		if (own_is_inside(items, v->anchor[i].real) ||
		    (i >= roots->n &&
		     is_mount_of_ours(items, &v->anchor[i], &v->mem)))
			view_add_name(v, v->anchor[i].real);
	for (size_t i = 0; i < items->n; i++)
		item_trace(&items->item[i], &v->mem, view_add_item, v);
	return v;
}

void own_view_free(struct own_view *v)
{
	while (v) {
		struct own_view *older = v->older;

		arena_free(&v->mem);
		free(v);
		v = older;
	}
}

/* Changes of unrelated mounts must not accumulate equal views. */
static bool is_same_view(const struct own_view *a, const struct own_view *b)
{
	if (a->items != b->items || a->n != b->n || a->anchors != b->anchors)
		return false;
	for (size_t i = 0; i < a->n; i++)
		if (!str_eq(a->name[i], b->name[i]))
			return false;
	for (size_t i = 0; i < a->anchors; i++)
		if (!str_eq(a->anchor[i].real, b->anchor[i].real) ||
		    !same_id(a->anchor[i].id, b->anchor[i].id))
			return false;
	return true;
}

/* Several threads may make a view at once; one of them is published. */
static const struct own_view *view_of(const struct roots *roots,
				      const struct own_items *items)
{
	struct own_view *now = atomic_load(&roots->own->view), *made;

	if (now && now->items == items &&
	    now->mounts == atomic_load(&mount_changes))
		return now;
	made = view_make(items, roots);
	if (now && is_same_view(now, made)) {
		now->mounts = made->mounts;
		own_view_free(made);
		return now;
	}
	made->older = now;
	if (atomic_compare_exchange_strong(&roots->own->view, &now, made))
		return made;
	made->older = NULL;
	own_view_free(made);
	return now;
}

static bool is_owned_by_user(int dir)
{
	struct stat st;

	return !fstat(dir, &st) && st.st_uid == geteuid();
}

/*
 * May the directory contain that inode? Assumed of a directory of this user
 * that cannot be read.
 */
static bool may_hold_inode(int dir, struct own_id want, int depth)
{
	auto_fd fd = fd_openat(dir, ".", O_RDONLY | O_DIRECTORY, 0);
	DIR *list = fd < 0 ? NULL : fdopendir(fd);
	bool found = false;
	struct dirent *e;
	struct stat got;

	if (!list)
		return is_owned_by_user(dir);
	(void)fd_take(&fd);
	while (!found && (e = readdir(list))) {
		auto_fd below = -1;

		if (e->d_ino == want.ino)
			found = !fstatat(dirfd(list), e->d_name, &got,
					 AT_SYMLINK_NOFOLLOW) &&
				got.st_dev == want.dev;
		if ((e->d_type != DT_DIR && e->d_type != DT_UNKNOWN) ||
		    e->d_name[0] == '.' || !depth)
			continue;
		below = fd_openat(dirfd(list), e->d_name,
				  O_PATH | O_DIRECTORY | O_NOFOLLOW, 0);
		found = found ||
			(below >= 0 && may_hold_inode(below, want, depth - 1));
	}
	(void)closedir(list);
	return found;
}

/* Searched at each use, because own files are replaced by new inodes. */
static bool may_have_inode(const struct own_items *items, struct own_id want,
			   unsigned mode)
{
	auto_arena mem = ARENA_INIT;
	struct own_id id;

	for (size_t i = 0; i < items->n; i++) {
		const struct own_item *item = &items->item[i];
		const char *path = arena_cstr(&mem, item->path);
		auto_fd dir = -1;

		if (item->secret && (mode & 077))
			continue;
		if (id_of(path, &id) && same_id(id, want))
			return true;
		if (item->tree)
			dir = fd_openat(AT_FDCWD, path, O_PATH | O_DIRECTORY,
					0);
		if (dir >= 0 && may_hold_inode(dir, want, MAX_DEPTH))
			return true;
	}
	return false;
}

static bool view_has_name(const struct own_view *v, struct str key)
{
	auto_arena mem = ARENA_INIT;
	struct str folded = key;
	bool twice = caseless_fold(key, &mem, &folded);

	for (size_t i = 0; i < v->n; i++)
		if (caseless_beneath(key, v->name[i]) ||
		    (twice && caseless_beneath(folded, v->name[i])))
			return true;
	return false;
}

bool own_covers(const struct roots *roots, struct str key,
		const struct stat *st)
{
	const struct own_items *items = atomic_load(&roots->own->items);
	const struct own_view *v;

	if (!items || !items->n)
		return false;
	v = view_of(roots, items);
	if (v->n && view_has_name(v, key))
		return true;
	return st && st->st_nlink > 1 && S_ISREG(st->st_mode) &&
	       may_have_inode(items, (struct own_id){ st->st_dev, st->st_ino },
			      st->st_mode);
}

bool own_is_near(const struct roots *roots, struct str key)
{
	const struct own_items *items = atomic_load(&roots->own->items);
	const struct own_view *v;

	if (!items || !items->n)
		return false;
	v = view_of(roots, items);
	if (!v->n)
		return false;
	if (!caseless_is_plain(key) || view_has_name(v, key))
		return true;
	for (size_t i = 0; i < v->n; i++)
		if (caseless_beneath(v->name[i], key))
			return true;
	return false;
}

enum err own_refused(struct str path, struct fault *f)
{
	return fail(f, ERR_DENIED, .path = path, .os = EACCES,
		    .reason = "config", .hint = STR("one of stet's own files"));
}

bool own_is_inside(const struct own_items *items, struct str real)
{
	auto_arena mem = ARENA_INIT;
	struct own_trail t;
	struct own_id id;

	trail_make(&t, real, STR(""), &mem);
	for (size_t i = 0; i < items->n; i++) {
		if (!items->item[i].tree ||
		    !id_of(arena_cstr(&mem, items->item[i].path), &id))
			continue;
		for (size_t k = 0; k < t.n; k++)
			if (same_id(t.step[k].id, id))
				return true;
	}
	return false;
}

struct own_above {
	struct own_id id;
	bool found;
};

static void match_above(void *ctx, const struct own_trail *t)
{
	struct own_above *a = ctx;

	for (size_t i = 0; i < t->n; i++)
		a->found = a->found || same_id(t->step[i].id, a->id);
}

bool own_is_above(struct str real, struct str dir)
{
	auto_arena mem = ARENA_INIT;
	struct own_item item = { .path = dir, .tree = true };
	struct own_above a = { .found = false };
	struct own_id id;

	if (!id_of(arena_cstr(&mem, real), &a.id))
		return false;
	if (id_of(arena_cstr(&mem, dir), &id) && same_id(id, a.id))
		return true;
	item_trace(&item, &mem, match_above, &a);
	return a.found;
}

bool own_has_above(const struct own_items *items, struct str real)
{
	for (size_t i = 0; i < items->n; i++)
		if (items->item[i].tree &&
		    own_is_above(real, items->item[i].path))
			return true;
	return false;
}
