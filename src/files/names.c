/*
 * names.c - the files beside a path that is not there, for "did you mean".
 * Reads the names of one directory beneath the roots, a bounded part of them.
 */
#include "base/fd.h"
#include "files/beneath.h"
#include "files/local.h"
#include "files/path.h"
#include "text/utf8.h"

#include <dirent.h>
#include <fcntl.h>

enum { MOST_READ = 2000, MOST_KEPT = 500 };

/* Regular files alone: what a directory is called may be a secret of its own. */
static size_t read_names(DIR *list, struct arena *mem, struct str *names)
{
	const struct dirent *e;
	size_t n = 0;

	for (int i = 0; i < MOST_READ && n < MOST_KEPT; i++) {
		e = readdir(list);
		if (!e)
			break;
		if ((e->d_type == DT_REG || e->d_type == DT_UNKNOWN) &&
		    utf8_valid(str_of(e->d_name)))
			names[n++] = arena_copy(mem, str_of(e->d_name));
	}
	return n;
}

struct names local_names(struct workspace *ws, struct str path,
			 struct arena *mem)
{
	auto_roots *roots = local_roots((struct ws_local *)ws);
	auto_place place = PLACE_INIT;
	struct names ret = { 0 };
	struct fault ignored;
	struct str *names;
	DIR *list;

	if (beneath_place(roots, path, mem, &place, &ignored) || !place.name[0])
		return ret;
	auto_fd fd = fd_openat(place.dir, ".", O_RDONLY | O_DIRECTORY, 0);
	list = fd < 0 ? NULL : fdopendir(fd);
	if (!list)
		return ret;
	(void)fd_take(&fd);
	names = arena_array(mem, struct str, MOST_KEPT);
	ret.dir = path_parent(place.key);
	ret.count = read_names(list, mem, names);
	ret.name = names;
	closedir(list);
	return ret;
}
