#include "acp/ws_acp.h"

#include "acp/ws_acp_local.h"
#include "files/paging.h"
#include "files/path.h"

#include <stdlib.h>

static struct acp_agreed *agreed_on(struct ws_acp *w, struct hash key)
{
	return &w->agreed[key.low % ACP_KNOWN];
}

static void agree(struct ws_acp *w, struct str key, struct hash text)
{
	struct hash of = hash_of(key);

	(void)pthread_mutex_lock(&w->lock);
	*agreed_on(w, of) = (struct acp_agreed){ of, text };
	(void)pthread_mutex_unlock(&w->lock);
}

static bool did_agree(struct ws_acp *w, struct str key, struct hash text)
{
	struct hash of = hash_of(key);
	struct acp_agreed known;

	(void)pthread_mutex_lock(&w->lock);
	known = *agreed_on(w, of);
	(void)pthread_mutex_unlock(&w->lock);
	return hash_eq(known.key, of) && hash_eq(known.text, text);
}

enum err acp_patience(const struct ws_acp *w, const struct errand *errand,
		      struct fault *f)
{
	if (errand && errand->patience &&
	    (editor_can_read(w->editor) || editor_can_write(w->editor)))
		return fail(f, ERR_LATER, .path = STR(""));
	return ERR_OK;
}

bool acp_leads_to(struct ws_acp *w, struct str path, struct str key,
		  struct arena *mem)
{
	struct fault ignored;
	struct look look;

	return !ws_look(w->disk, path, mem, &look, &ignored) &&
	       str_eq(look.key, key);
}

/* What the editor shows is text that nobody has saved. */
static void take_unsaved(struct acp_sight *s)
{
	s->unsaved = true;
	s->snap.bytes = s->view.bytes;
	s->snap.version = hash_of(s->view.bytes);
	s->snap.stamp = (struct stamp){ 0 };
}

/* Which of the two counts. */
static void weigh(struct ws_acp *w, struct acp_sight *s, struct str shown,
		  struct arena *mem)
{
	if (!s->exists && !shown.len)
		return;
	view_read(&s->file, shown, mem, &s->view);
	switch (s->view.kind) {
	case VIEW_BLIND:
		return;
	case VIEW_SAME:
		agree(w, s->snap.key, s->view.text);
		break;
	case VIEW_OTHER:
		if (did_agree(w, s->snap.key, s->view.text))
			return;
		take_unsaved(s);
		break;
	}
	s->served = true;
	s->snap.source = "editor";
}

static bool is_plain(struct str path)
{
	struct str rest = str_skip(path, 1), name;

	while (str_split(&rest, '/', &name))
		if (!name.len || str_is(name, ".") || str_is(name, ".."))
			return false;
	return true;
}

/*
 * Editors know files by the names the person gave: those of the roots may have
 * links in them. Beneath a root, where others put links and move them, only
 * the key names what was judged: the editor would follow a link by itself.
 */
static struct str name_of(struct ws_acp *w, struct str path, struct str key,
			  struct arena *mem)
{
	size_t n;
	const struct str *roots = ws_roots(w->disk, mem, &n);
	struct str above, rest, tail;

	if (str_eq(path, key) || !is_plain(path))
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

static enum err ask(struct ws_acp *w, struct str path,
		    const struct errand *errand, struct arena *mem,
		    struct acp_sight *s, struct fault *f)
{
	struct str shown, why;

	switch (editor_read(w->editor, s->name, errand, mem, &shown, &why)) {
	case EDITOR_OK: /* and what it has read is what was judged */
		if (acp_leads_to(w, s->name, s->snap.key, mem))
			weigh(w, s, shown, mem);
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
 * Where it would be, for one that is not on disk. What the disk denies is not
 * for the editor to show.
 */
static enum err find_key(struct ws_acp *w, struct str path, struct arena *mem,
			 struct acp_sight *s, struct fault *f)
{
	struct look look;
	struct fault why = { 0 };
	enum err e = ws_look(w->disk, path, mem, &look, &why);

	s->snap = (struct snapshot){ .key = e ? path : look.key };
	return e == ERR_DENIED ? fault_set(f, &why) : ERR_OK;
}

enum err acp_see(struct ws_acp *w, struct str path, uint64_t max,
		 const struct errand *errand, struct arena *mem,
		 struct acp_sight *ret, struct fault *f)
{
	struct acp_sight s = { 0 };
	enum err found, e;

	found = ws_load(w->disk, path, max, errand, mem, &s.disk, f);
	if (found && found != ERR_NOT_FOUND)
		return found;
	s.exists = !found;
	s.snap = s.disk;
	if (found && find_key(w, path, mem, &s, f))
		return ERR_DENIED;
	s.name = name_of(w, path, s.snap.key, mem);
	if (errand && editor_can_read(w->editor) &&
	    s.snap.bytes.len <= ACP_MOST &&
	    view_open(s.snap.bytes, mem, &s.file)) {
		struct fault stopped;

		e = ask(w, path, errand, mem, &s, &stopped);
		if (e)
			return fault_set(f, &stopped);
	}
	*ret = s;
	return s.served ? ERR_OK : found;
}

static enum err acp_load(struct workspace *ws, struct str path, uint64_t max,
			 const struct errand *errand, struct arena *mem,
			 struct snapshot *ret, struct fault *f)
{
	struct ws_acp *w = (struct ws_acp *)ws;
	struct acp_sight s = { 0 };
	enum err e;

	if (!errand)
		return ws_load(w->disk, path, max, errand, mem, ret, f);
	e = acp_patience(w, errand, f);
	if (!e)
		e = acp_see(w, path, max, errand, mem, &s, f);
	if (!e && s.snap.bytes.len > max)
		return fail(f, ERR_TOO_LARGE, .path = path,
			    .bytes = s.snap.bytes.len, .limit = max);
	if (!e)
		*ret = s.snap;
	return e;
}

/* A large file is paged by the disk, which need not read all of it. */
static enum err acp_page(struct workspace *ws, struct str path,
			 const struct page_want *want,
			 const struct errand *errand, struct arena *mem,
			 struct page *ret, struct fault *f)
{
	struct ws_acp *w = (struct ws_acp *)ws;
	struct snapshot snap;
	struct look look;
	enum err e;

	e = ws_look(w->disk, path, mem, &look, f);
	if (e || !editor_can_read(w->editor) || look.stamp.size > ACP_MOST)
		return ws_page(w->disk, path, want, errand, mem, ret, f);
	e = acp_load(ws, path, ACP_MOST, errand, mem, &snap, f);
	return e ? e : paging_cut(&snap, path, want, mem, ret, f);
}

static enum err acp_look(struct workspace *ws, struct str path,
			 struct arena *mem, struct look *ret, struct fault *f)
{
	return ws_look(((struct ws_acp *)ws)->disk, path, mem, ret, f);
}

/* What somebody has typed there is not to be pulled from under them. */
static enum err acp_remove(struct workspace *ws, struct str path,
			   struct hash version, const struct store_want *want,
			   struct arena *mem, struct fault *f)
{
	struct ws_acp *w = (struct ws_acp *)ws;
	const struct errand *errand = want ? want->errand : NULL;
	struct acp_sight s = { 0 };
	struct fault ignored;
	enum err e = acp_patience(w, errand, f);

	if (e)
		return e;
	e = acp_see(w, path, ACP_MOST, errand, mem, &s, &ignored);
	if (e == ERR_CANCELLED)
		return fault_set(f, &ignored);
	if (!e && s.unsaved)
		return fail(
			f, ERR_CHANGED, .path = path,
			.version = hash_text(s.snap.version, mem),
			.hint = STR(
				"The file is open in the editor with changes that are not saved"));
	return ws_remove(w->disk, path, version, want, mem, f);
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
	.look = acp_look,
	.append = acp_append,
	.remove = acp_remove,
	.roots = acp_roots,
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
