/*
 * ws_acp.c - reads of the editor workspace, and operations of the disk alone.
 *
 * The table of synced texts is under w->lock; everything else belongs to the
 * calling thread, which may block for the editor's answer.
 */
#include "acp/ws_acp.h"

#include "acp/ws_acp_local.h"
#include "files/paging.h"
#include "files/path.h"
#include "files/tree.h"

#include <stdlib.h>

static struct acp_synced *synced_slot(struct ws_acp *w, struct hash key)
{
	return &w->synced[key.low % ACP_SYNCED_SLOTS];
}

static void synced_set(struct ws_acp *w, struct str key, struct hash text)
{
	struct hash of = hash_of(key);

	(void)pthread_mutex_lock(&w->lock);
	*synced_slot(w, of) = (struct acp_synced){ of, text };
	(void)pthread_mutex_unlock(&w->lock);
}

static bool was_synced(struct ws_acp *w, struct str key, struct hash text)
{
	struct hash of = hash_of(key);
	struct acp_synced known;

	(void)pthread_mutex_lock(&w->lock);
	known = *synced_slot(w, of);
	(void)pthread_mutex_unlock(&w->lock);
	return hash_eq(known.key, of) && hash_eq(known.text, text);
}

/* Calls block for responses that the loop thread receives. */
static void acp_recover(struct workspace *ws, const struct progress *progress)
{
	ws_recover(((struct ws_acp *)ws)->disk, progress);
}

static bool acp_waits(struct workspace *ws)
{
	const struct ws_acp *w = (const struct ws_acp *)ws;

	return editor_can_read(w->editor) || editor_can_write(w->editor);
}

bool acp_leads_to(struct ws_acp *w, struct str path, struct str key,
		  struct arena *mem)
{
	struct fault ignored;
	struct file_info info;

	return !ws_stat(w->disk, path, mem, &info, &ignored) &&
	       str_eq(info.key, key);
}

/* A path as the disk resolves it, and what the editor shows of the file. */
struct acp_answer {
	bool found;            /* the path could be resolved: @info is valid */
	struct file_info info; /* key and metadata on disk */
	bool asked, answered;  /* editor_read() was called; returned a text */
	struct str name;       /* path in the request to the editor */
	struct str shown;      /* text in its response */
};

/* The editor has unsaved changes: they are the effective content. */
static void use_unsaved(struct acp_file *s)
{
	s->unsaved = true;
	s->snap.bytes = s->buffer.bytes;
	s->snap.version = hash_of(s->buffer.bytes);
	s->snap.stat = (struct stat_data){ 0 };
}

/* Decide whether the editor's text or the disk is the effective content. */
static void merge_buffer(struct ws_acp *w, struct acp_file *s, struct str shown,
			 struct arena *mem)
{
	if (!s->exists && !shown.len)
		return;
	editor_buffer_read(&s->file, shown, mem, &s->buffer);
	switch (s->buffer.state) {
	case BUFFER_UNUSABLE:
		return;
	case BUFFER_SAME:
		synced_set(w, s->snap.key, s->buffer.text);
		break;
	case BUFFER_MODIFIED:
		if (was_synced(w, s->snap.key, s->buffer.text))
			return;
		use_unsaved(s);
		break;
	}
	s->served = true;
	s->snap.source = "editor";
}

static bool is_normalised(struct str path)
{
	struct str rest = str_skip(path, 1), name;

	while (str_split(&rest, '/', &name))
		if (!name.len || str_is(name, ".") || str_is(name, ".."))
			return false;
	return true;
}

/*
 * Editors know files by the path that the user gave, in which a root may be a
 * symlink. Below a root, where other programs create and move symlinks, only
 * the key is safe: the editor would follow a symlink by itself.
 */
static struct str editor_path(struct ws_acp *w, struct str path, struct str key,
			      struct arena *mem)
{
	size_t n;
	const struct str *roots = ws_roots(w->disk, mem, &n);
	struct str above, rest, tail;

	if (str_eq(path, key) || !is_normalised(path))
		return key;
	for (size_t i = 0; i < n; i++)
		if (path_beneath(path, roots[i], &rest))
			return key;
	for (size_t i = 0; i < n; i++) {
		if (!path_beneath(key, roots[i], &rest))
			continue;
		tail = path_join(mem, STR("/"), rest);
		above = str_head(path, path.len - size_min(path.len, tail.len));
		if (str_ends(path, tail) &&
		    acp_leads_to(w, above, roots[i], mem))
			return path;
	}
	return key;
}

/*
 * Read the file from the editor, before it is read from disk. The editor is not
 * asked for what is, by its metadata, too large or no regular file.
 */
static enum err ask_editor(struct ws_acp *w, struct str path, uint64_t max,
			   const struct progress *progress, struct arena *mem,
			   struct acp_answer *ret, struct fault *f)
{
	const struct file_info *info = &ret->info;
	struct str why;

	if (info->exists &&
	    (!info->is_file ||
	     info->stat.size > (max < ACP_MAX_BYTES ? max : ACP_MAX_BYTES)))
		return ERR_OK;
	ret->asked = true;
	ret->name = editor_path(w, path, info->key, mem);
	switch (editor_read(w->editor, ret->name, progress, mem, &ret->shown,
			    &why)) {
	case EDITOR_OK:
		ret->answered = true;
		break;
	case EDITOR_STOPPED:
		return fail(f, ERR_CANCELLED, .path = path);
	case EDITOR_CANNOT:
	case EDITOR_REFUSED:
	case EDITOR_LATE:
		break;
	}
	return ERR_OK;
}

/*
 * The key of the path, whether there is a file or not. A path that the disk
 * denies must not be read from the editor either.
 */
static enum err find_key(struct ws_acp *w, struct str path, struct arena *mem,
			 struct acp_answer *ret, struct fault *f)
{
	struct fault why = { 0 };
	enum err e = ws_stat(w->disk, path, mem, &ret->info, &why);

	ret->found = !e;
	if (e)
		ret->info = (struct file_info){ .key = path };
	return e == ERR_DENIED ? fault_set(f, &why) : ERR_OK;
}

/* Is the answer about the file that was loaded from @path since then? */
static bool is_about(struct ws_acp *w, const struct acp_answer *a,
		     struct str path, const struct acp_file *s,
		     struct arena *mem)
{
	if (!str_eq(a->info.key, s->snap.key))
		return false;
	/* The load has just resolved this very path. */
	return (s->exists && str_eq(a->name, path)) ||
	       acp_leads_to(w, a->name, s->snap.key, mem);
}

/*
 * The editor is asked first. Then the disk is read, whose bytes are needed in
 * any case: for the encoding and the line endings of a save, to know what is
 * unsaved, and when the editor does not answer.
 */
enum err acp_read_both(struct ws_acp *w, struct str path, uint64_t max,
		       const struct progress *progress, struct arena *mem,
		       struct acp_file *ret, struct fault *f)
{
	struct acp_answer a = { 0 };
	struct acp_file s = { 0 };
	enum err found, e = ERR_OK;

	if (progress && editor_can_read(w->editor))
		e = find_key(w, path, mem, &a, f);
	if (!e && a.found)
		e = ask_editor(w, path, max, progress, mem, &a, f);
	if (e)
		return e;
	found = ws_load(w->disk, path, max, progress, mem, &s.disk, f);
	if (found && found != ERR_NOT_FOUND)
		return found;
	s.exists = !found;
	s.snap = s.disk;
	if (found && !a.found && find_key(w, path, mem, &a, f))
		return ERR_DENIED;
	if (found)
		s.snap = (struct snapshot){ .key = a.info.key };
	s.name = editor_path(w, path, s.snap.key, mem);
	if (a.asked && s.snap.bytes.len <= ACP_MAX_BYTES &&
	    disk_text_open(s.snap.bytes, mem, &s.file) && a.answered &&
	    is_about(w, &a, path, &s, mem))
		merge_buffer(w, &s, a.shown, mem);
	*ret = s;
	return s.served ? ERR_OK : found;
}

static enum err acp_load(struct workspace *ws, struct str path, uint64_t max,
			 const struct progress *progress, struct arena *mem,
			 struct snapshot *ret, struct fault *f)
{
	struct ws_acp *w = (struct ws_acp *)ws;
	struct acp_file s = { 0 };
	enum err e;

	if (!progress)
		return ws_load(w->disk, path, max, progress, mem, ret, f);
	e = acp_read_both(w, path, max, progress, mem, &s, f);
	if (!e && s.snap.bytes.len > max)
		return fail(f, ERR_TOO_LARGE, .path = path,
			    .bytes = s.snap.bytes.len, .limit = max);
	if (!e)
		*ret = s.snap;
	return e;
}

/* A large file is paged by the disk, which does not load all of it. */
static enum err acp_page(struct workspace *ws, struct str path,
			 const struct page_want *want,
			 const struct progress *progress, struct arena *mem,
			 struct page *ret, struct fault *f)
{
	struct ws_acp *w = (struct ws_acp *)ws;
	struct snapshot snap;
	struct file_info info;
	enum err e;

	e = ws_stat(w->disk, path, mem, &info, f);
	if (e || !editor_can_read(w->editor) || info.stat.size > ACP_MAX_BYTES)
		return ws_page(w->disk, path, want, progress, mem, ret, f);
	e = acp_load(ws, path, ACP_MAX_BYTES, progress, mem, &snap, f);
	return e ? e : paging_cut(&snap, path, want, mem, ret, f);
}

static enum err acp_stat(struct workspace *ws, struct str path,
			 struct arena *mem, struct file_info *ret,
			 struct fault *f)
{
	return ws_stat(((struct ws_acp *)ws)->disk, path, mem, ret, f);
}

static enum err acp_details(struct workspace *ws, struct str path,
			    struct arena *mem, struct file_details *ret,
			    struct fault *f)
{
	return ws_details(((struct ws_acp *)ws)->disk, path, mem, ret, f);
}

/* A file with unsaved changes in the editor is not removed. */
static enum err acp_remove(struct workspace *ws, struct str path,
			   struct hash version, const struct store_want *want,
			   struct arena *mem, struct fault *f)
{
	struct ws_acp *w = (struct ws_acp *)ws;
	const struct progress *progress = want ? want->progress : NULL;
	struct acp_file s = { 0 };
	struct fault ignored;
	enum err e = acp_read_both(w, path, ACP_MAX_BYTES, progress, mem, &s,
				   &ignored);

	if (e == ERR_CANCELLED)
		return fault_set(f, &ignored);
	if (!e && s.unsaved)
		return fail(
			f, ERR_CHANGED, .path = path,
			.version = hash_text(s.snap.version, mem),
			.hint = STR(
				"The file has unsaved changes in the editor"));
	return ws_remove(w->disk, path, version, want, mem, f);
}

/* Names are changed on the disk: an editor sees that as anybody's change. */
static enum err acp_lstat(struct workspace *ws, struct str path,
			  struct arena *mem, struct node_info *ret,
			  struct fault *f)
{
	return ws_lstat(((struct ws_acp *)ws)->disk, path, mem, ret, f);
}

static enum err acp_move(struct workspace *ws, const struct move_want *want,
			 struct arena *mem, struct fault *f)
{
	return ws_move(((struct ws_acp *)ws)->disk, want, mem, f);
}

static enum err acp_make_dir(struct workspace *ws, struct str path,
			     const struct make_dir_want *want,
			     struct arena *mem, struct made_dirs *ret,
			     struct fault *f)
{
	return ws_make_dir(((struct ws_acp *)ws)->disk, path, want, mem, ret,
			   f);
}

static enum err acp_remove_name(struct workspace *ws, struct str path,
				const struct name_want *want, struct arena *mem,
				struct fault *f)
{
	return ws_remove_name(((struct ws_acp *)ws)->disk, path, want, mem, f);
}

static enum err acp_make_link(struct workspace *ws, struct str path,
			      const struct name_want *want, struct arena *mem,
			      struct fault *f)
{
	return ws_make_link(((struct ws_acp *)ws)->disk, path, want, mem, f);
}

/* A walk sees the disk only. */
static enum err acp_tree(struct workspace *ws, struct str path,
			 struct arena *mem, struct tree_place *ret,
			 struct fault *f)
{
	return ws_tree(((struct ws_acp *)ws)->disk, path, mem, ret, f);
}

static const struct str *acp_roots(struct workspace *ws, struct arena *mem,
				   size_t *ret_n)
{
	return ws_roots(((struct ws_acp *)ws)->disk, mem, ret_n);
}

static bool acp_root_of(struct workspace *ws, struct str key, struct arena *mem,
			struct root_id *ret)
{
	return ws_root_of(((struct ws_acp *)ws)->disk, key, mem, ret);
}

static const struct workspace_ops acp_ops = {
	.load = acp_load,
	.store = acp_store,
	.page = acp_page,
	.stat = acp_stat,
	.details = acp_details,
	.append = acp_append,
	.remove = acp_remove,
	.recover = acp_recover,
	.lstat = acp_lstat,
	.move = acp_move,
	.make_dir = acp_make_dir,
	.remove_name = acp_remove_name,
	.make_link = acp_make_link,
	.tree = acp_tree,
	.roots = acp_roots,
	.waits = acp_waits,
	.root_of = acp_root_of,
};

struct workspace *ws_acp_new(struct workspace *disk, struct editor *editor)
{
	struct ws_acp *w = calloc(1, sizeof(*w));

	if (!w)
		out_of_memory();
	w->ws.ops = &acp_ops;
	w->ws.source = disk->source;
	w->disk = disk;
	w->editor = editor;
	(void)pthread_mutex_init(&w->lock, NULL);
	return &w->ws;
}

void ws_acp_free(struct workspace *ws)
{
	struct ws_acp *w = (struct ws_acp *)ws;

	if (!w)
		return;
	(void)pthread_mutex_destroy(&w->lock);
	free(w);
}
