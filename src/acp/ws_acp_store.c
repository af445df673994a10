/* ws_acp_store.c - changes, through the editor where it has the file. */

#include "acp/ws_acp_local.h"
#include "files/path.h"

#include <errno.h>

/* One change on its way. */
struct deed {
	struct ws_acp *w;
	struct str path;
	const struct store_want *want;
	struct arena *mem;
	struct fault *f;
	struct acp_sight before;
	struct str text;  /* what the editor is told */
	struct hash hash; /* of that */
	struct hash version;
};

static enum err to_disk(struct deed *d, const struct store_want *want,
			struct stored *ret)
{
	return ws_store(d->w->disk, d->path, want, d->mem, ret, d->f);
}

/* Is the file what the caller wants it to be before? */
static enum err compare(struct deed *d)
{
	const struct snapshot *now = &d->before.snap;
	bool there = d->before.exists || d->before.served;

	switch (d->want->base) {
	case STORE_ANY:
		return ERR_OK;
	case STORE_ABSENT:
		if (!there)
			return ERR_OK;
		break;
	case STORE_VERSION:
		if (there && hash_eq(now->version, d->want->version))
			return ERR_OK;
		break;
	}
	return fail(d->f, ERR_CHANGED, .path = d->path,
		    .version =
			    there ? hash_text(now->version, d->mem) : STR(""));
}

/* A18: the client may make directories, or a file where there is one. */
static bool has_parent(struct deed *d)
{
	struct look look;
	struct fault ignored;

	return !ws_look(d->w->disk, path_cut(d->path), d->mem, &look,
			&ignored) &&
	       look.exists && !look.is_file;
}

/* Whatever the editor makes of it when it saves, it makes the same bytes. */
static bool is_plain(const struct view_file *file)
{
	return file->in.encoding == &encoding_utf8 && file->eol != EOL_CRLF;
}

/* Can the change go through the editor? */
static bool suits(struct deed *d)
{
	const struct store_want *want = d->want;
	struct acp_sight *s = &d->before;
	bool only_writes = !editor_can_read(d->w->editor);

	if (want->set_mode || want->bytes.len > ACP_MOST)
		return false;
	if (!s->exists && !has_parent(d))
		return false;
	if (only_writes && (!view_open(s->snap.bytes, d->mem, &s->file) ||
			    !is_plain(&s->file)))
		return false;
	/* a new file is any editor's that says it can write */
	if (!only_writes && s->exists && !s->served)
		return false;
	if (!s->served && !s->file.in.encoding)
		return false;
	return view_spell(&s->file, &s->view, want->bytes, d->mem, &d->text,
			  &d->hash);
}

static void tell(const struct deed *d, struct stored *ret)
{
	*ret = (struct stored){
		.version = d->version,
		.key = d->before.snap.key,
		.created = !d->before.exists,
		.source = "editor",
	};
}

static bool has_text(const struct deed *d, const struct acp_sight *s)
{
	return hash_eq(s->snap.version, d->version) ||
	       (s->served && hash_eq(s->view.text, d->hash));
}

/* The right text on the disk, in other bytes than it was to have. */
static bool put_right(struct deed *d, const struct acp_sight *s)
{
	struct store_want want = { .key = d->before.snap.key,
				   .base = STORE_VERSION,
				   .version = s->disk.version,
				   .bytes = d->want->bytes };
	struct stored ignored;
	struct fault f;

	return s->served && !s->unsaved && hash_eq(s->view.text, d->hash) &&
	       !ws_store(d->w->disk, d->path, &want, d->mem, &ignored, &f);
}

/* It was written: what is there now? */
static enum err settle(struct deed *d, struct stored *ret)
{
	/* it has happened: who gives up now gets to know it all the same */
	const struct errand errand = { 0 };
	struct acp_sight s;
	struct fault ignored;

	tell(d, ret);
	if (acp_see(d->w, d->path, UINT64_MAX, &errand, d->mem, &s, &ignored) ||
	    !str_eq(s.snap.key, d->before.snap.key) ||
	    hash_eq(s.snap.version, d->version) || put_right(d, &s))
		return ERR_OK;
	ret->version = s.snap.version;
	ret->rewritten = true;
	return ERR_OK;
}

/* A15: it may have happened, and may happen yet. */
static enum err settle_late(struct deed *d, struct stored *ret)
{
	struct acp_sight s;
	struct fault ignored;

	if (!acp_see(d->w, d->path, UINT64_MAX, d->want->errand, d->mem, &s,
		     &ignored) &&
	    str_eq(s.snap.key, d->before.snap.key) && has_text(d, &s))
		return settle(d, ret);
	return fail(
		d->f, ERR_IO, .path = d->path, .os = ETIMEDOUT,
		.reason = "editor_late",
		.hint = STR(
			"The editor did not say in time that it has written the file, and may do so yet. Read the file again before changing it"));
}

/* The editor will not, or is gone: the disk, unless it was done already. */
static enum err fall_back(struct deed *d, struct str why, struct stored *ret)
{
	struct store_want want = *d->want;
	struct snapshot now;
	struct fault ignored;

	if (!ws_load(d->w->disk, d->path, ACP_MOST, NULL, d->mem, &now,
		     &ignored) &&
	    hash_eq(now.version, d->version)) {
		tell(d, ret);
		return ERR_OK;
	}
	if (d->before.unsaved)
		return fail(
			d->f, ERR_IO, .path = d->path, .os = EBUSY,
			.reason = "unsaved", .text = why,
			.hint = arena_printf(
				d->mem,
				"The editor has changes of the file that are not saved, and does not take others" STR_FMT
					STR_FMT,
				STR_ARG(why.len ? STR(": ") : STR("")),
				STR_ARG(why)));
	want.ready = NULL; /* that was asked */
	return to_disk(d, &want, ret);
}

static enum err through_editor(struct deed *d, struct stored *ret)
{
	const struct store_want *want = d->want;
	struct str why = STR("");

	if (want->ready) {
		enum err e = want->ready(want->ctx, d->f);

		if (e)
			return e;
	}
	/* Where the editor goes from here on is up to the editor. */
	if (!acp_leads_to(d->w, d->before.name, d->before.snap.key, d->mem))
		return fail(d->f, ERR_CHANGED, .path = d->path);
	switch (editor_write(d->w->editor, d->before.name, d->text,
			     want->errand, d->mem, &why)) {
	case EDITOR_OK:
		return settle(d, ret);
	case EDITOR_LATE:
		return settle_late(d, ret);
	case EDITOR_STOPPED:
		return fail(d->f, ERR_CANCELLED, .path = d->path);
	case EDITOR_CANNOT:
	case EDITOR_REFUSED:
		break;
	}
	return fall_back(d, why, ret);
}

static enum err store(struct deed *d, struct stored *ret)
{
	struct acp_sight *s = &d->before;
	bool same;
	enum err e;

	e = acp_see(d->w, d->path, ACP_MOST, d->want->errand, d->mem, s, d->f);
	if (e == ERR_CANCELLED)
		return e;
	if (e && e != ERR_NOT_FOUND) /* the disk says what is wrong */
		return to_disk(d, d->want, ret);
	if (d->want->key.len && !str_eq(s->snap.key, d->want->key))
		return fail(d->f, ERR_CHANGED, .path = d->path);
	e = compare(d);
	if (e)
		return e;
	d->version = hash_of(d->want->bytes);
	same = (s->exists || s->served) && hash_eq(s->snap.version, d->version);
	if (same && s->unsaved && !d->want->set_mode) {
		tell(d, ret);
		return ERR_OK;
	}
	if (!same && suits(d))
		return through_editor(d, ret);
	if (!s->unsaved)
		return to_disk(d, d->want, ret);
	return fail(
		d->f, ERR_IO, .path = d->path, .os = EBUSY, .reason = "unsaved",
		.hint = STR(
			"The editor has changes of the file that are not saved, and cannot make this one. Ask the user to save the file"));
}

enum err acp_store(struct workspace *ws, struct str path,
		   const struct store_want *want, struct arena *mem,
		   struct stored *ret, struct fault *f)
{
	struct deed d = { .w = (struct ws_acp *)ws,
			  .path = path,
			  .want = want,
			  .mem = mem,
			  .f = f };
	struct stored out = { 0 };
	enum err e = acp_patience(d.w, want->errand, f);

	if (e)
		return e;
	if (!want->errand || !editor_can_write(d.w->editor))
		return to_disk(&d, want, ret);
	e = store(&d, &out);
	if (!e)
		*ret = out;
	return e;
}

/* An addition to text that nobody has saved: a store of all of it. */
struct adding {
	const struct append_want *want;
	uint64_t at;
};

static enum err add_ready(void *ctx, struct fault *f)
{
	const struct adding *a = ctx;

	return a->want->ready ? a->want->ready(a->want->ctx, a->at, f) : ERR_OK;
}

static enum err add_unsaved(struct ws_acp *w, struct str path,
			    const struct append_want *want,
			    const struct acp_sight *s, struct arena *mem,
			    struct appended *ret, struct fault *f)
{
	struct str old = s->snap.bytes;
	bool torn = want->own_line && old.len && old.ptr[old.len - 1] != '\n';
	struct adding adding = { want, old.len };
	struct store_want store = { .key = want->key,
				    .base = STORE_VERSION,
				    .version = s->snap.version,
				    .errand = want->errand,
				    .ready = add_ready,
				    .ctx = &adding };
	auto_buf all = BUF_INIT;
	struct stored stored;
	enum err e;

	buf_add(&all, old);
	buf_add(&all, torn ? STR("\n") : STR(""));
	buf_add(&all, want->bytes);
	store.bytes = arena_copy(mem, buf_str(&all));
	e = acp_store(&w->ws, path, &store, mem, &stored, f);
	if (!e)
		*ret = (struct appended){ .key = stored.key,
					  .at = old.len,
					  .written = torn + want->bytes.len,
					  .created = stored.created,
					  .completed = torn };
	return e;
}

enum err acp_append(struct workspace *ws, struct str path,
		    const struct append_want *want, struct arena *mem,
		    struct appended *ret, struct fault *f)
{
	struct ws_acp *w = (struct ws_acp *)ws;
	struct acp_sight s;
	struct fault ignored;
	enum err e = acp_patience(w, want->errand, f);

	if (e)
		return e;
	e = acp_see(w, path, ACP_MOST, want->errand, mem, &s, &ignored);
	if (e == ERR_CANCELLED)
		return fault_set(f, &ignored);
	if (!e && s.unsaved && editor_can_write(w->editor))
		return add_unsaved(w, path, want, &s, mem, ret, f);
	return ws_append(w->disk, path, want, mem, ret, f);
}
