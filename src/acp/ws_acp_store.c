/*
 * ws_acp_store.c - changes through the editor that has the file open.
 *
 * A change is written by the editor if that can represent it, and verified by
 * reading again. The disk is written directly only when the editor cannot have
 * unsaved changes of the file.
 */
#include "acp/ws_acp_local.h"
#include "files/path.h"

#include <errno.h>

/* A change of one file. */
struct acp_change {
	struct ws_acp *w;
	struct str path;
	const struct store_want *want;
	struct arena *mem;
	struct fault *f;
	struct acp_file before;
	struct str text;     /* new text for the editor */
	struct hash hash;    /* of text, independent of line endings */
	struct hash version; /* of the new bytes */
};

static enum err store_on_disk(struct acp_change *d,
			      const struct store_want *want, struct stored *ret)
{
	return ws_store(d->w->disk, d->path, want, d->mem, ret, d->f);
}

/* Check the precondition of the store. */
static enum err check_base(struct acp_change *d)
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

/* A18: an editor would create missing directories. */
static bool has_parent(struct acp_change *d)
{
	struct file_info info;
	struct fault ignored;

	return !ws_stat(d->w->disk, path_cut(d->path), d->mem, &info,
			&ignored) &&
	       info.exists && !info.is_file;
}

/* Any editor saves this text as the same bytes. */
static bool is_plain_utf8(const struct disk_text *file)
{
	return file->in.encoding == &encoding_utf8 && file->eol != EOL_CRLF;
}

/* Can the change go through the editor? */
static bool editor_can_store(struct acp_change *d)
{
	const struct store_want *want = d->want;
	struct acp_file *s = &d->before;
	bool only_writes = !editor_can_read(d->w->editor);

	if (want->set_mode || want->bytes.len > ACP_MAX_BYTES)
		return false;
	if (!s->exists && !has_parent(d))
		return false;
	if (only_writes && (!disk_text_open(s->snap.bytes, d->mem, &s->file) ||
			    !is_plain_utf8(&s->file)))
		return false;
	/* a new file can be created by any editor with the write capability */
	if (!only_writes && s->exists && !s->served)
		return false;
	if (!s->served && !s->file.in.encoding)
		return false;
	return editor_buffer_encode(&s->file, &s->buffer, want->bytes, d->mem,
				    &d->text, &d->hash);
}

static void report_stored(const struct acp_change *d, struct stored *ret)
{
	*ret = (struct stored){
		.version = d->version,
		.key = d->before.snap.key,
		.created = !d->before.exists,
		.source = "editor",
	};
}

static bool has_new_text(const struct acp_change *d, const struct acp_file *s)
{
	return hash_eq(s->snap.version, d->version) ||
	       (s->served && hash_eq(s->buffer.text, d->hash));
}

/* The editor saved the right text in other bytes: correct the disk. */
static bool fix_bytes_on_disk(struct acp_change *d, const struct acp_file *s)
{
	struct store_want want = { .key = d->before.snap.key,
				   .base = STORE_VERSION,
				   .version = s->disk.version,
				   .bytes = d->want->bytes };
	struct stored ignored;
	struct fault f;

	return s->served && !s->unsaved && hash_eq(s->buffer.text, d->hash) &&
	       !ws_store(d->w->disk, d->path, &want, d->mem, &ignored, &f);
}

/* Read back what the editor has saved. */
static enum err verify_stored(struct acp_change *d, struct stored *ret)
{
	/* not cancellable: the change has been made and must be reported */
	const struct progress progress = { 0 };
	struct acp_file s;
	struct fault ignored;

	report_stored(d, ret);
	if (acp_read_both(d->w, d->path, UINT64_MAX, &progress, d->mem, &s,
			  &ignored) ||
	    !str_eq(s.snap.key, d->before.snap.key) ||
	    hash_eq(s.snap.version, d->version) || fix_bytes_on_disk(d, &s))
		return ERR_OK;
	ret->version = s.snap.version;
	ret->rewritten = true;
	return ERR_OK;
}

/* A15: the write may have happened, or may still happen. */
static enum err verify_after_timeout(struct acp_change *d, struct stored *ret)
{
	struct acp_file s;
	struct fault ignored;

	if (!acp_read_both(d->w, d->path, UINT64_MAX, d->want->progress, d->mem,
			   &s, &ignored) &&
	    str_eq(s.snap.key, d->before.snap.key) && has_new_text(d, &s))
		return verify_stored(d, ret);
	return fail(
		d->f, ERR_IO, .path = d->path, .os = ETIMEDOUT,
		.reason = "editor_late",
		.hint = STR(
			"The editor did not confirm the write in time, and may still write the file. Read the file again before changing it"));
}

/* The editor refused or is gone: write to disk, unless it has already. */
static enum err fall_back_to_disk(struct acp_change *d, struct str why,
				  struct stored *ret)
{
	struct store_want want = *d->want;
	struct snapshot now;
	struct fault ignored;

	if (!ws_load(d->w->disk, d->path, ACP_MAX_BYTES, NULL, d->mem, &now,
		     &ignored) &&
	    hash_eq(now.version, d->version)) {
		report_stored(d, ret);
		return ERR_OK;
	}
	if (d->before.unsaved)
		return fail(
			d->f, ERR_IO, .path = d->path, .os = EBUSY,
			.reason = "unsaved", .text = why,
			.hint = arena_printf(
				d->mem,
				"The file has unsaved changes in the editor, and the editor refuses others" STR_FMT
					STR_FMT,
				STR_ARG(why.len ? STR(": ") : STR("")),
				STR_ARG(why)));
	want.ready = NULL; /* already called */
	return store_on_disk(d, &want, ret);
}

static enum err store_by_editor(struct acp_change *d, struct stored *ret)
{
	const struct store_want *want = d->want;
	struct str why = STR("");

	if (want->ready) {
		enum err e = want->ready(want->ctx, d->f);

		if (e)
			return e;
	}
	/* The last check: the editor opens the path by itself. */
	if (!acp_leads_to(d->w, d->before.name, d->before.snap.key, d->mem))
		return fail(d->f, ERR_CHANGED, .path = d->path);
	switch (editor_write(d->w->editor, d->before.name, d->text,
			     want->progress, d->mem, &why)) {
	case EDITOR_OK:
		return verify_stored(d, ret);
	case EDITOR_LATE:
		return verify_after_timeout(d, ret);
	case EDITOR_STOPPED:
		return fail(d->f, ERR_CANCELLED, .path = d->path);
	case EDITOR_CANNOT:
	case EDITOR_REFUSED:
		break;
	}
	return fall_back_to_disk(d, why, ret);
}

static enum err store_change(struct acp_change *d, struct stored *ret)
{
	struct acp_file *s = &d->before;
	bool same;
	enum err e;

	e = acp_read_both(d->w, d->path, ACP_MAX_BYTES, d->want->progress,
			  d->mem, s, d->f);
	if (e == ERR_CANCELLED)
		return e;
	if (e && e != ERR_NOT_FOUND) /* the disk reports the error */
		return store_on_disk(d, d->want, ret);
	if (d->want->key.len && !str_eq(s->snap.key, d->want->key))
		return fail(d->f, ERR_CHANGED, .path = d->path);
	e = check_base(d);
	if (e)
		return e;
	d->version = d->want->hash ? *d->want->hash : hash_of(d->want->bytes);
	same = (s->exists || s->served) && hash_eq(s->snap.version, d->version);
	if (same && s->unsaved && !d->want->set_mode) {
		report_stored(d, ret);
		return ERR_OK;
	}
	if (!same && editor_can_store(d))
		return store_by_editor(d, ret);
	if (!s->unsaved)
		return store_on_disk(d, d->want, ret);
	return fail(
		d->f, ERR_IO, .path = d->path, .os = EBUSY, .reason = "unsaved",
		.hint = STR(
			"The file has unsaved changes in the editor, which cannot apply this change. Ask the user to save the file"));
}

enum err acp_store(struct workspace *ws, struct str path,
		   const struct store_want *want, struct arena *mem,
		   struct stored *ret, struct fault *f)
{
	struct acp_change d = { .w = (struct ws_acp *)ws,
				.path = path,
				.want = want,
				.mem = mem,
				.f = f };
	struct stored out = { 0 };
	enum err e;

	if (!want->progress || !editor_can_write(d.w->editor))
		return store_on_disk(&d, want, ret);
	e = store_change(&d, &out);
	if (!e)
		*ret = out;
	return e;
}

/* An append to unsaved text: a store of the whole text. */
struct acp_append_op {
	const struct append_want *want;
	struct str bytes; /* all that is appended */
	uint64_t at;
};

static enum err append_ready(void *ctx, struct fault *f)
{
	const struct acp_append_op *a = ctx;

	return a->want->ready ? a->want->ready(a->want->ctx, a->at, a->bytes, f)
			      : ERR_OK;
}

static enum err append_unsaved(struct ws_acp *w, struct str path,
			       const struct append_want *want,
			       const struct acp_file *s, struct arena *mem,
			       struct appended *ret, struct fault *f)
{
	struct str old = s->snap.bytes;
	bool unterminated =
		want->newline.len && old.len && !str_ends(old, want->newline);
	struct acp_append_op op = { .want = want, .at = old.len };
	struct store_want store = { .key = want->key,
				    .base = STORE_VERSION,
				    .version = s->snap.version,
				    .progress = want->progress,
				    .ready = append_ready,
				    .ctx = &op,
				    .dry_run = want->dry_run };
	auto_buf all = BUF_INIT;
	struct stored stored;
	enum err e;

	buf_add(&all, old);
	buf_add(&all, unterminated ? want->eol : STR(""));
	buf_add(&all, want->bytes);
	store.bytes = arena_copy(mem, buf_str(&all));
	op.bytes = str_skip(store.bytes, old.len);
	if (want->version && !hash_eq(*want->version, s->snap.version))
		return fail(f, ERR_CHANGED, .path = path);
	e = acp_store(&w->ws, path, &store, mem, &stored, f);
	if (!e)
		*ret = (struct appended){ .key = stored.key,
					  .at = old.len,
					  .written = op.bytes.len,
					  .created = stored.created,
					  .completed = unterminated };
	return e;
}

enum err acp_append(struct workspace *ws, struct str path,
		    const struct append_want *want, struct arena *mem,
		    struct appended *ret, struct fault *f)
{
	struct ws_acp *w = (struct ws_acp *)ws;
	struct acp_file s;
	struct fault ignored;
	enum err e = acp_read_both(w, path, ACP_MAX_BYTES, want->progress, mem,
				   &s, &ignored);

	if (e == ERR_CANCELLED)
		return fault_set(f, &ignored);
	if (!e && s.unsaved && editor_can_write(w->editor))
		return append_unsaved(w, path, want, &s, mem, ret, f);
	return ws_append(w->disk, path, want, mem, ret, f);
}
