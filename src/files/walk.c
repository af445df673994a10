#include "files/walk.h"

#include "base/fd.h"
#include "files/path.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>

enum { DEPTH = 64 };

struct walking {
	const struct walk *w;
	dev_t dev;
	bool ended;
};

static int is_entry(const struct dirent *e)
{
	return strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0;
}

static int by_bytes(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static void walk_dir(struct walking *k, int dir, struct str path,
		     unsigned depth);

static void visit(struct walking *k, int dir, const char *name, struct str path,
		  unsigned depth)
{
	static const int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW;
	auto_fd fd = -1;
	struct stat st;

	if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) || st.st_dev != k->dev)
		return;
	if (S_ISREG(st.st_mode)) {
		k->ended = !k->w->file(k->w->ctx, path, (uint64_t)st.st_size);
		return;
	}
	if (!S_ISDIR(st.st_mode) || depth == 0 ||
	    (k->w->enter && !k->w->enter(k->w->ctx, name)))
		return;
	fd = fd_openat(dir, name, flags, 0);
	if (fd >= 0)
		walk_dir(k, fd, path, depth - 1);
}

static void walk_dir(struct walking *k, int dir, struct str path,
		     unsigned depth)
{
	struct dirent **names = NULL;
	int n = scandirat(dir, ".", &names, is_entry, by_bytes);

	for (int i = 0; i < n; i++) {
		auto_arena mem = ARENA_INIT;

		if (!k->ended)
			visit(k, dir, names[i]->d_name,
			      path_join(&mem, path, str_of(names[i]->d_name)),
			      depth);
		free(names[i]);
	}
	free(names);
}

int walk_files(const char *root, const struct walk *w)
{
	auto_fd fd = fd_openat(AT_FDCWD, root, O_RDONLY | O_DIRECTORY, 0);
	struct walking k = { .w = w };
	struct stat st;

	if (fd < 0 || fstat(fd, &st))
		return -1;
	k.dev = st.st_dev;
	walk_dir(&k, fd, str_of(root), w->max_depth ? w->max_depth : DEPTH);
	return 0;
}
