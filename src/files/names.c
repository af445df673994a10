/*
 * names.c - ws_names(): the names beside a missing path, for "did you mean".
 *
 * Reads a bounded number of names of one directory within the roots.
 */
#include "base/fd.h"
#include "files/beneath.h"
#include "files/local.h"
#include "files/path.h"
#include "text/encoding/utf8.h"

#include <dirent.h>
#include <fcntl.h>

enum { MAX_READ = 2000, MAX_KEPT = 500 };

static size_t read_names(DIR *list, unsigned char type, struct arena *mem,
			 struct str *names)
{
	const struct dirent *e;
	size_t n = 0;

	for (int i = 0; i < MAX_READ && n < MAX_KEPT; i++) {
		e = readdir(list);
		if (!e)
			break;
		if ((e->d_type == type || e->d_type == DT_UNKNOWN) &&
		    utf8_valid(str_of(e->d_name)))
			names[n++] = arena_copy(mem, str_of(e->d_name));
	}
	return n;
}

struct names local_names(struct workspace *ws, struct str path,
			 bool directories, struct arena *mem)
{
	auto_roots *roots = local_roots((struct ws_local *)ws);
	auto_resolved place = RESOLVED_INIT;
	struct names ret = { 0 };
	struct fault ignored;
	struct str *names;
	DIR *list;

	if (beneath_resolve(roots, path, mem, &place, &ignored) ||
	    !place.name[0])
		return ret;
	auto_fd fd = fd_openat(place.dir, ".", O_RDONLY | O_DIRECTORY, 0);
	list = fd < 0 ? NULL : fdopendir(fd);
	if (!list)
		return ret;
	(void)fd_take(&fd);
	names = arena_array(mem, struct str, MAX_KEPT);
	ret.dir = path_parent(place.key);
	ret.count = read_names(list, directories ? DT_DIR : DT_REG, mem, names);
	ret.name = names;
	closedir(list);
	return ret;
}
