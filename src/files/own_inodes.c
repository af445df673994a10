/*
 * own_inodes.c - the inodes of stet's own files, for searches.
 *
 * own_covers() reads our directories for each file with several hard links,
 * because own files are replaced by new inodes. In a tree of hard links a search
 * would do that for every file. So it takes all inodes at once, and again after
 * a tenth of a second.
 */
#include "base/clock.h"
#include "base/fd.h"
#include "files/own.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

enum { VALID_MS = 100, MAX_DEPTH = 3 };

struct own_inode {
	uint64_t dev, ino;
	bool secret; /* has no mode bits for group and others */
};

struct own_inodes {
	struct arena mem;
	struct own_inode *inode;
	size_t n;
	bool unsure[2]; /* a directory cannot be read: of others, of secrets */
	uint64_t made_ms;
};

static void inodes_add(struct own_inodes *s, const struct stat *st, bool secret)
{
	*arena_add(&s->mem, s->inode, s->n) =
		(struct own_inode){ st->st_dev, st->st_ino, secret };
}

/* Add the files in @dir, which is closed; of this user's if unreadable. */
static void inodes_add_tree(struct own_inodes *s, int dir, bool secret,
			    int depth)
{
	DIR *list = fdopendir(dir);
	const struct dirent *e;
	struct stat st;

	if (!list) {
		if (!fstat(dir, &st) && st.st_uid == geteuid())
			s->unsure[secret] = true;
		(void)close(dir);
		return;
	}
	while ((e = readdir(list))) {
		int below = -1;

		if (fstatat(dirfd(list), e->d_name, &st, AT_SYMLINK_NOFOLLOW))
			continue;
		if (S_ISREG(st.st_mode))
			inodes_add(s, &st, secret);
		if (!S_ISDIR(st.st_mode) || e->d_name[0] == '.' || !depth)
			continue;
		below = fd_openat(dirfd(list), e->d_name,
				  O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0);
		if (below >= 0)
			inodes_add_tree(s, below, secret, depth - 1);
		else if (st.st_uid == geteuid())
			s->unsure[secret] = true;
	}
	(void)closedir(list);
}

static void inodes_add_item(struct own_inodes *s, const struct own_item *item)
{
	const char *path = arena_cstr(&s->mem, item->path);
	struct stat st;
	int dir;

	if (fstatat(AT_FDCWD, path, &st, AT_NO_AUTOMOUNT))
		return;
	if (!S_ISDIR(st.st_mode)) {
		inodes_add(s, &st, item->secret);
		return;
	}
	if (!item->tree)
		return;
	dir = fd_openat(AT_FDCWD, path, O_RDONLY | O_DIRECTORY, 0);
	if (dir >= 0)
		inodes_add_tree(s, dir, item->secret, MAX_DEPTH);
	else if (st.st_uid == geteuid())
		s->unsure[item->secret] = true;
}

static struct own_inodes *inodes_make(const struct own_items *items)
{
	struct own_inodes *s = calloc(1, sizeof(*s));

	if (!s)
		out_of_memory();
	s->made_ms = clock_ms();
	for (size_t i = 0; i < items->n; i++)
		inodes_add_item(s, &items->item[i]);
	return s;
}

void own_inodes_free(struct own_inodes *s)
{
	if (!s)
		return;
	arena_free(&s->mem);
	free(s);
}

bool own_has_inode(const struct roots *roots, struct own_inodes **kept,
		   const struct stat *st)
{
	const struct own_items *items = atomic_load(&roots->own->items);
	bool open = st->st_mode & 077;
	const struct own_inodes *s;

	if (!items || !items->n)
		return false;
	if (!*kept || clock_ms() - (*kept)->made_ms > VALID_MS) {
		own_inodes_free(*kept);
		*kept = inodes_make(items);
	}
	s = *kept;
	if (s->unsure[false] || (s->unsure[true] && !open))
		return true;
	for (size_t i = 0; i < s->n; i++)
		if (s->inode[i].ino == st->st_ino &&
		    s->inode[i].dev == st->st_dev &&
		    !(s->inode[i].secret && open))
			return true;
	return false;
}
