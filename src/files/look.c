#include "files/beneath.h"
#include "files/local.h"
#include "files/path.h"

/* What is at a path: one look, nothing is opened. */
enum err local_look(struct workspace *ws, struct str path, struct arena *mem,
		    struct look *ret, struct fault *f)
{
	auto_roots *roots = local_roots((struct ws_local *)ws);
	auto_place p = PLACE_INIT;
	struct str rest;
	enum err e;

	e = beneath_nearest(roots, path, mem, &p, &rest, f);
	if (e)
		return e;
	*ret = (struct look){ .key = path_join(mem, p.key, rest) };
	if (rest.len || !p.exists)
		return ERR_OK;
	ret->exists = true;
	ret->is_file = S_ISREG(p.st.st_mode);
	ret->stamp = stamp_of(&p.st);
	ret->mode = p.st.st_mode & 07777;
	return ERR_OK;
}
