/*
 * make_dir.c - ws_make_dir() for directories on the disk: mkdir one after the
 * other, each below the descriptor of the one above (parents.h). When one
 * cannot be made, those that were are removed again.
 */
#include "files/beneath.h"
#include "files/local.h"
#include "files/parents.h"
#include "files/path.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

/* Is it there already, or what must not be in its place? */
static enum err make_dir_look(const struct roots *roots, struct str path,
			      struct str key, struct arena *mem,
			      bool *ret_exists, struct fault *f)
{
	auto_resolved p = RESOLVED_INIT;
	struct str rest;
	enum err e = beneath_nearest_key(roots, key, mem, &p, &rest, f);

	*ret_exists = false;
	if (e)
		return e;
	if (p.exists && !S_ISDIR(p.st.st_mode))
		return fail(f, ERR_NOT_A_DIRECTORY, .path = p.key);
	*ret_exists = p.exists && !rest.len;
	if (*ret_exists ||
	    !faccessat(p.dir, p.exists ? p.name : ".", W_OK | X_OK, AT_EACCESS))
		return ERR_OK;
	return fail_os(f, errno, path);
}

enum err local_make_dir(struct workspace *ws, struct str path,
			const struct make_dir_want *want, struct arena *mem,
			struct made_dirs *ret, struct fault *f)
{
	struct ws_local *w = (struct ws_local *)ws;
	bool durable = w->options.durability == DURABLE_POWER, exists;
	auto_roots *roots = local_roots(w);
	/* parents_make() makes what is above a name */
	struct str below = path_join(mem, want->key, STR("x"));
	struct parents made = { 0 };
	struct str *keys;
	enum err e = make_dir_look(roots, path, want->key, mem, &exists, f);

	*ret = (struct made_dirs){ 0 };
	if (e || exists)
		return e;
	if (want->ready)
		e = want->ready(want->ctx, f);
	if (e || want->dry_run)
		return e;
	e = parents_make(roots, below, durable, mem, &made, f);
	if (e) {
		parents_undo(roots, &made, mem);
		return e;
	}
	keys = arena_array(mem, struct str, made.n);
	for (size_t i = 0; i < made.n; i++)
		keys[i] = made.made[i].path;
	*ret = (struct made_dirs){ keys, made.n };
	return ERR_OK;
}
