#include "files/workspace.h"

#include "files/paging.h"

#include <errno.h>
#include <limits.h>

/* What a page made of load may take into memory. */
static const uint64_t page_load_max = 256 * 1024 * 1024;

enum err ws_load(struct workspace *ws, struct str path, uint64_t max,
		 const struct errand *errand, struct arena *mem,
		 struct snapshot *ret, struct fault *f)
{
	struct fault spare;

	ret->key = STR("");
	return ws->ops->load(ws, path, max, errand, mem, ret, f ? f : &spare);
}

enum err ws_store(struct workspace *ws, struct str path,
		  const struct store_want *want, struct arena *mem,
		  struct stored *ret, struct fault *f)
{
	struct fault spare;

	return ws->ops->store(ws, path, want, mem, ret, f ? f : &spare);
}

/* This workspace has no such thing. */
static enum err cannot(struct str path, struct fault *f)
{
	return fail(f, ERR_IO, .path = path, .os = EOPNOTSUPP);
}

enum err ws_look(struct workspace *ws, struct str path, struct arena *mem,
		 struct look *ret, struct fault *f)
{
	struct fault spare;

	if (!ws->ops->look)
		return cannot(path, f);
	return ws->ops->look(ws, path, mem, ret, f ? f : &spare);
}

enum err ws_append(struct workspace *ws, struct str path,
		   const struct append_want *want, struct arena *mem,
		   struct appended *ret, struct fault *f)
{
	struct fault spare;

	if (!ws->ops->append)
		return cannot(path, f);
	return ws->ops->append(ws, path, want, mem, ret, f ? f : &spare);
}

enum err ws_remove(struct workspace *ws, struct str path, struct hash version,
		   const struct store_want *want, struct arena *mem,
		   struct fault *f)
{
	struct fault spare;

	if (!ws->ops->remove)
		return cannot(path, f);
	return ws->ops->remove(ws, path, version, want, mem, f ? f : &spare);
}

enum err ws_page(struct workspace *ws, struct str path,
		 const struct page_want *want, const struct errand *errand,
		 struct arena *mem, struct page *ret, struct fault *f)
{
	struct snapshot snap;
	struct fault spare;
	enum err e;

	if (!f)
		f = &spare;
	ret->key = STR("");
	if (ws->ops->page)
		return ws->ops->page(ws, path, want, errand, mem, ret, f);
	e = ws_load(ws, path, page_load_max, errand, mem, &snap, f);
	ret->key = snap.key;
	return e ? e : paging_cut(&snap, path, want, mem, ret, f);
}

struct present ws_present(struct workspace *ws, struct str dir,
			  const char *const *names, struct arena *mem)
{
	if (!ws->ops->present)
		return (struct present){ .names = UINT_MAX };
	return ws->ops->present(ws, dir, names, mem);
}

struct names ws_names(struct workspace *ws, struct str path, struct arena *mem)
{
	if (!ws->ops->names)
		return (struct names){ 0 };
	return ws->ops->names(ws, path, mem);
}

enum err ws_entries(struct workspace *ws, struct str path, size_t skip,
		    size_t limit, struct arena *mem, struct ws_entries *ret,
		    struct fault *f)
{
	if (!ws->ops->entries)
		return cannot(path, f);
	return ws->ops->entries(ws, path, skip, limit, mem, ret, f);
}

const struct str *ws_roots(struct workspace *ws, struct arena *mem,
			   size_t *ret_n)
{
	*ret_n = 0;
	return ws->ops->roots ? ws->ops->roots(ws, mem, ret_n) : NULL;
}

bool ws_root_of(struct workspace *ws, struct str key, struct arena *mem,
		struct root_id *ret)
{
	return ws->ops->root_of && ws->ops->root_of(ws, key, mem, ret);
}
