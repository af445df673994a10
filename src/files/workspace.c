/*
 * workspace.c - calls the operations of a workspace, with defaults for those
 * that an implementation lacks.
 */
#include "files/workspace.h"

#include "files/group_apart.h"
#include "files/paging.h"
#include "files/tree.h"

#include <errno.h>
#include <limits.h>

/* The largest file that is loaded in order to cut a page from it. */
static const uint64_t page_load_max = 256 * 1024 * 1024;

bool ws_waits(struct workspace *ws)
{
	return ws->ops->waits && ws->ops->waits(ws);
}

enum err ws_load(struct workspace *ws, struct str path, uint64_t max,
		 const struct progress *progress, struct arena *mem,
		 struct snapshot *ret, struct fault *f)
{
	struct fault ignored;

	ret->key = STR("");
	return ws->ops->load(ws, path, max, progress, mem, ret,
			     f ? f : &ignored);
}

enum err ws_store(struct workspace *ws, struct str path,
		  const struct store_want *want, struct arena *mem,
		  struct stored *ret, struct fault *f)
{
	struct fault ignored;

	return ws->ops->store(ws, path, want, mem, ret, f ? f : &ignored);
}

/* The workspace lacks this operation. */
static enum err ws_unsupported(struct str path, struct fault *f)
{
	return fail(f, ERR_IO, .path = path, .os = EOPNOTSUPP);
}

enum err ws_stat(struct workspace *ws, struct str path, struct arena *mem,
		 struct file_info *ret, struct fault *f)
{
	struct fault ignored;

	if (!ws->ops->stat)
		return ws_unsupported(path, f);
	return ws->ops->stat(ws, path, mem, ret, f ? f : &ignored);
}

enum err ws_append(struct workspace *ws, struct str path,
		   const struct append_want *want, struct arena *mem,
		   struct appended *ret, struct fault *f)
{
	struct fault ignored;

	if (!ws->ops->append)
		return ws_unsupported(path, f);
	return ws->ops->append(ws, path, want, mem, ret, f ? f : &ignored);
}

enum err ws_remove(struct workspace *ws, struct str path, struct hash version,
		   const struct store_want *want, struct arena *mem,
		   struct fault *f)
{
	struct fault ignored;

	if (!ws->ops->remove)
		return ws_unsupported(path, f);
	return ws->ops->remove(ws, path, version, want, mem, f ? f : &ignored);
}

enum err ws_group(struct workspace *ws, struct group_want *want,
		  struct arena *mem, struct fault *f)
{
	struct fault ignored;

	if (!f)
		f = &ignored;
	if (!ws->ops->group)
		return group_apart(ws, want, mem, f);
	return ws->ops->group(ws, want, mem, f);
}

enum err ws_recover(struct workspace *ws, const struct progress *progress)
{
	return ws->ops->recover ? ws->ops->recover(ws, progress) : ERR_OK;
}

enum err ws_page(struct workspace *ws, struct str path,
		 const struct page_want *want, const struct progress *progress,
		 struct arena *mem, struct page *ret, struct fault *f)
{
	struct snapshot snap;
	struct fault ignored;
	enum err e;

	if (!f)
		f = &ignored;
	ret->key = STR("");
	if (ws->ops->page)
		return ws->ops->page(ws, path, want, progress, mem, ret, f);
	e = ws_load(ws, path, page_load_max, progress, mem, &snap, f);
	ret->key = snap.key;
	return e ? e : paging_cut(&snap, path, want, mem, ret, f);
}

enum err ws_details(struct workspace *ws, struct str path, struct arena *mem,
		    struct file_details *ret, struct fault *f)
{
	if (!ws->ops->details)
		return ws_unsupported(path, f);
	return ws->ops->details(ws, path, mem, ret, f);
}

enum err ws_lstat(struct workspace *ws, struct str path, struct arena *mem,
		  struct node_info *ret, struct fault *f)
{
	if (!ws->ops->lstat)
		return ws_unsupported(path, f);
	return ws->ops->lstat(ws, path, mem, ret, f);
}

enum err ws_move(struct workspace *ws, const struct move_want *want,
		 struct arena *mem, struct fault *f)
{
	if (!ws->ops->move)
		return ws_unsupported(want->from_path, f);
	return ws->ops->move(ws, want, mem, f);
}

enum err ws_make_dir(struct workspace *ws, struct str path,
		     const struct make_dir_want *want, struct arena *mem,
		     struct made_dirs *ret, struct fault *f)
{
	if (!ws->ops->make_dir)
		return ws_unsupported(path, f);
	return ws->ops->make_dir(ws, path, want, mem, ret, f);
}

enum err ws_remove_name(struct workspace *ws, struct str path,
			const struct name_want *want, struct arena *mem,
			struct fault *f)
{
	if (!ws->ops->remove_name)
		return ws_unsupported(path, f);
	return ws->ops->remove_name(ws, path, want, mem, f);
}

enum err ws_make_link(struct workspace *ws, struct str path,
		      const struct name_want *want, struct arena *mem,
		      struct fault *f)
{
	if (!ws->ops->make_link)
		return ws_unsupported(path, f);
	return ws->ops->make_link(ws, path, want, mem, f);
}

struct present ws_present(struct workspace *ws, struct str dir,
			  const char *const *names, struct arena *mem)
{
	if (!ws->ops->present)
		return (struct present){ .names = UINT_MAX };
	return ws->ops->present(ws, dir, names, mem);
}

struct names ws_names(struct workspace *ws, struct str path, bool directories,
		      struct arena *mem)
{
	if (!ws->ops->names)
		return (struct names){ 0 };
	return ws->ops->names(ws, path, directories, mem);
}

enum err ws_entries(struct workspace *ws, struct str path, size_t skip,
		    size_t limit, struct arena *mem, struct ws_entries *ret,
		    struct fault *f)
{
	if (!ws->ops->entries)
		return ws_unsupported(path, f);
	return ws->ops->entries(ws, path, skip, limit, mem, ret, f);
}

enum err ws_tree(struct workspace *ws, struct str path, struct arena *mem,
		 struct tree_place *ret, struct fault *f)
{
	if (!ws->ops->tree)
		return ws_unsupported(path, f);
	return ws->ops->tree(ws, path, mem, ret, f);
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
