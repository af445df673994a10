#include "base/fd.h"
#include "files/beneath.h"
#include "files/local.h"
#include "files/own.h"
#include "files/path.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>

/* What is at a path: one look, nothing is opened. */
enum err local_look(struct workspace *ws, struct str path, struct arena *mem,
		    struct look *ret, struct fault *f)
{
	auto_roots *roots = local_roots((struct ws_local *)ws);
	auto_place p = PLACE_INIT;
	struct str rest, key;
	enum err e;

	e = beneath_key(roots, path, mem, &p, &rest, &key, f);
	if (e)
		return e;
	*ret = (struct look){ .key = key };
	if (own_covers(roots, key, NULL))
		return own_refused(path, f);
	if (rest.len || !p.exists)
		return ERR_OK;
	ret->exists = true;
	ret->is_file = S_ISREG(p.st.st_mode);
	ret->stamp = stamp_of(&p.st);
	ret->mode = p.st.st_mode & 07777;
	return ERR_OK;
}

static unsigned names_in(int dir, const char *const *names)
{
	unsigned found = 0;
	struct stat st;

	for (unsigned i = 0; names[i]; i++)
		if (!fstatat(dir, names[i], &st, AT_SYMLINK_NOFOLLOW) ||
		    errno != ENOENT)
			found |= 1u << i;
	return found;
}

/*
 * What is not seen the quick way may be there. Whoever asks has just looked
 * at a file beneath the same roots, which need no second look for that.
 */
struct present local_present(struct workspace *ws, struct str dir,
			     const char *const *names, struct arena *mem)
{
	auto_roots *roots = local_roots_as_seen((struct ws_local *)ws);
	struct present ret = { .names = UINT_MAX };
	struct str rest, above;
	const struct root *root = roots_find(roots, dir, &rest);
	auto_fd fd = -1;

	if (!root || root->gone)
		return ret;
	ret.at_root = !rest.len && !roots_find(roots, path_parent(dir), &above);
	if (rest.len)
		fd = beneath_directory(root, rest, mem);
	if (fd >= 0 || !rest.len)
		ret.names = names_in(rest.len ? fd : root->fd, names);
	return ret;
}
