/*
 * entries.c - ws_entries(): a sorted part of a directory listing.
 *
 * The directory is resolved like every file (beneath.h), and symlinks among its
 * entries are not followed. Memory is bounded by the request: of a directory of
 * any size, only the first skip + limit names in order are kept.
 */
#include "base/fd.h"
#include "files/beneath.h"
#include "files/local.h"
#include "files/own.h"
#include "files/path.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>

/* The first @keep entries in order; up to twice as many while reading. */
struct first_entries {
	struct ws_entry *entry;
	size_t n, keep, room;
	struct arena mem; /* owns the names */
};

static enum ws_entry_kind entry_kind_of_mode(mode_t mode)
{
	if (S_ISDIR(mode))
		return WS_ENTRY_DIRECTORY;
	if (S_ISREG(mode))
		return WS_ENTRY_FILE;
	return S_ISLNK(mode) ? WS_ENTRY_LINK : WS_ENTRY_OTHER;
}

static enum ws_entry_kind entry_kind(int dir, const struct dirent *e)
{
	struct stat st;

	if (e->d_type != DT_UNKNOWN)
		return entry_kind_of_mode(DTTOIF(e->d_type));
	if (fstatat(dir, e->d_name, &st, AT_SYMLINK_NOFOLLOW))
		return WS_ENTRY_OTHER;
	return entry_kind_of_mode(st.st_mode);
}

static int entry_order(const void *left, const void *right)
{
	const struct ws_entry *a = left, *b = right;
	bool a_below = a->kind != WS_ENTRY_DIRECTORY;
	bool b_below = b->kind != WS_ENTRY_DIRECTORY;

	return a_below != b_below ? a_below - b_below
				  : strcmp(a->name.ptr, b->name.ptr);
}

static void first_sort(struct first_entries *first)
{
	qsort(first->entry, first->n, sizeof(*first->entry), entry_order);
	first->n = size_min(first->n, first->keep);
}

/* Free the memory of names that are no longer among the first. */
static void first_compact(struct first_entries *first)
{
	struct arena kept = ARENA_INIT;

	first_sort(first);
	for (size_t i = 0; i < first->n; i++)
		first->entry[i].name = arena_copy(&kept, first->entry[i].name);
	arena_free(&first->mem);
	first->mem = kept;
}

static void first_add(struct first_entries *first, int dir,
		      const struct dirent *e)
{
	if (first->n == first->room)
		first_compact(first);
	first->entry[first->n++] =
		(struct ws_entry){ .name = arena_copy(&first->mem,
						      str_of(e->d_name)),
				   .kind = entry_kind(dir, e) };
}

static void read_entries(DIR *list, struct first_entries *first,
			 struct ws_entries *ret)
{
	const struct dirent *e;

	while ((e = readdir(list))) {
		if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, ".."))
			continue;
		if (ret->total == WS_ENTRIES_MOST) {
			ret->unread = true;
			break;
		}
		ret->total++;
		first_add(first, dirfd(list), e);
	}
	first_sort(first);
}

/* Fill in size and time; an entry that was removed meanwhile has none. */
static void entry_stat(const struct roots *roots, int dir, struct str key,
		       struct arena *mem, struct ws_entry *e)
{
	struct str full = path_join(mem, key, e->name);
	struct stat st;

	e->name = arena_copy(mem, e->name);
	if (fstatat(dir, e->name.ptr, &st, AT_SYMLINK_NOFOLLOW)) {
		e->own = own_covers(roots, full, NULL);
		return;
	}
	e->kind = entry_kind_of_mode(st.st_mode);
	e->size = (uint64_t)st.st_size;
	e->mtime = stat_data_of(&st).mtime;
	e->own = own_covers(roots, full, &st);
}

static void take_entries(const struct roots *roots, DIR *list, size_t skip,
			 size_t limit, struct arena *mem,
			 struct ws_entries *ret)
{
	struct first_entries first = { .keep = skip + limit };
	struct ws_entry *taken;

	first.room = 2 * first.keep;
	first.entry = malloc(first.room * sizeof(*first.entry));
	if (!first.entry)
		out_of_memory();
	read_entries(list, &first, ret);
	ret->count = first.n > skip ? first.n - skip : 0;
	taken = arena_array(mem, struct ws_entry, ret->count);
	for (size_t i = 0; i < ret->count; i++) {
		taken[i] = first.entry[skip + i];
		entry_stat(roots, dirfd(list), ret->key, mem, &taken[i]);
	}
	ret->entry = taken;
	free(first.entry);
	arena_free(&first.mem);
}

/* Open the resolved directory for reading. */
static int open_listed(const struct resolved *p)
{
	return fd_openat(p->dir, p->name[0] ? p->name : ".",
			 O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0);
}

enum err local_entries(struct workspace *ws, struct str path, size_t skip,
		       size_t limit, struct arena *mem, struct ws_entries *ret,
		       struct fault *f)
{
	auto_roots *roots = local_roots((struct ws_local *)ws);
	auto_resolved place = RESOLVED_INIT;
	enum err e = beneath_resolve(roots, path, mem, &place, f);
	DIR *list;

	if (e == ERR_NO_PARENT || (!e && !place.exists))
		return fail(f, ERR_NOT_FOUND, .path = path);
	if (e)
		return e;
	if (!S_ISDIR(place.st.st_mode))
		return fail(f, ERR_NOT_A_FILE, .path = path);
	auto_fd fd = open_listed(&place);
	list = fd < 0 ? NULL : fdopendir(fd);
	if (!list)
		return fail_os(f, errno, path);
	(void)fd_take(&fd);
	*ret = (struct ws_entries){ .key = place.key };
	own_mounts_check();
	take_entries(roots, list, skip, limit, mem, ret);
	(void)closedir(list);
	return ERR_OK;
}
