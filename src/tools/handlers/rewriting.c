/*
 * rewriting.c - the whole content of a file is replaced: by Write and
 * write_text_file.
 *
 * Pure work on bytes between rewrite_load() and rewrite_store(); a file in
 * another encoding than UTF-8 keeps the bytes of the lines that do not change.
 */
#include "tools/handlers/rewriting.h"

#include "text/diff/diff.h"
#include "text/lines/eol.h"
#include "text/lines/lines.h"
#include "tools/reading/configured_encoding.h"

static const struct str feff = STR_INIT("\xef\xbb\xbf");

void rewrite_new(struct call *c, struct str path, struct textfile *file)
{
	file->in.encoding = configured_encoding(c, path);
	if (!file->in.encoding)
		file->in.encoding = &encoding_utf8;
	file->snap.bytes = file->in.encoding->bom;
}

enum err rewrite_load(struct call *c, struct str path, struct rewrite *ret)
{
	struct textfile *file = &ret->file;
	enum err e;

	*ret = (struct rewrite){ 0 };
	e = textfile_fetch(c, path, &file->snap);
	ret->no_file = e == ERR_NOT_A_FILE;
	if (e == ERR_NOT_FOUND || e == ERR_NOT_A_FILE) {
		rewrite_new(c, path, file);
		return ERR_OK;
	}
	if (e)
		return e;
	ret->exists = true;
	ret->binary = textfile_show(c, path, file);
	if (ret->binary)
		file->in = (struct detected){ &encoding_utf8 };
	return ERR_OK;
}

enum err rewrite_load_unignored(struct call *c, struct str path,
				struct rewrite *ret)
{
	enum err e = textfile_check_ignored(c, path, STR(""));

	if (!e)
		e = rewrite_load(c, path, ret);
	if (!e && ret->file.snap.key.len)
		e = textfile_check_ignored(c, path, ret->file.snap.key);
	return e;
}

/*
 * The lines that differ, as splices of the old text. Equal lines keep their
 * bytes, even if encoding them again would give others.
 */
static void differing_lines(struct call *c, struct str old_text,
			    struct reencode *r)
{
	struct diff diff;

	diff_texts(old_text, r->text, c->mem, &diff);
	r->splices = diff_as_splices(&diff, old_text, c->mem);
	r->n = diff.count;
}

/* The bytes of the file with only the differing lines encoded anew. */
static enum err reencode(struct call *c, struct str path, struct rewrite *t,
			 struct str content)
{
	const struct decoded_text *old = &t->file.shown;
	struct reencode r = { .text = content };
	enum err e;

	differing_lines(c, old->text, &r);
	if (r.n && old->undecodable_count)
		return fail(
			c->fault, ERR_UNDECODABLE, .path = path,
			.name = str_of(t->file.in.encoding->name),
			.number = (int64_t)lines_at(old->text,
						    old->undecodable[0]),
			.hint = STR(
				"Edit single lines instead of writing the whole file, or delete the file first"));
	e = textfile_reencode(c, path, &t->file, &r);
	t->bytes = r.after;
	return e;
}

enum err rewrite_spell(struct call *c, struct str path, struct rewrite *t,
		       struct str content)
{
	struct str bom = t->file.in.encoding->bom;
	char *joined;

	if (bom.len && !str_starts(t->file.shown.text, feff) &&
	    str_starts(content, feff))
		content = str_skip(content, feff.len);
	t->bytes = t->text = content;
	if (!encoding_is_utf8(t->file.in.encoding) ||
	    t->file.shown.undecodable_count)
		return reencode(c, path, t, content);
	if (!bom.len)
		return ERR_OK;
	joined = arena_alloc(c->mem, bom.len + content.len);
	memcpy(joined, bom.ptr, bom.len);
	if (content.len)
		memcpy(joined + bom.len, content.ptr, content.len);
	t->bytes = str_make(joined, bom.len + content.len);
	return ERR_OK;
}

enum err rewrite_store(struct call *c, struct str path, const struct rewrite *t,
		       bool parents, struct changed *ret)
{
	const struct change change = { .path = path,
				       .before =
					       t->exists ? &t->file.snap : NULL,
				       .key = t->file.snap.key,
				       .after = t->bytes,
				       .encoding = t->file.in.encoding,
				       .parents = parents,
				       .whole = true,
				       .divisible = true };

	return change_file(c, &change, ret);
}

void rewrite_meta_fill(struct call *c, const struct rewrite *t,
		       const struct changed *changed, struct file_meta *ret)
{
	file_meta_fill(c, changed->stored.version, t->file.in,
		       t->file.shown.undecodable_count, changed->stored.source,
		       ret);
	file_meta_changed(changed, ret);
	if (t->crlf)
		ret->eol = str_of(eol_name(EOL_CRLF));
}

struct str rewrite_endings(struct call *c, struct rewrite *t,
			   struct str content)
{
	t->crlf = eol_of(t->file.shown.text) == EOL_CRLF &&
		  !c->options->write_exact && eol_of(content) == EOL_LF;
	return t->crlf ? eol_to_crlf(content, c->mem) : content;
}

/*
 * Refuse to overwrite a change that the caller has not seen. A file that it has
 * never read may be overwritten: it cannot expect to keep anything of it.
 */
static enum err check_seen(struct call *c, struct str path,
			   const struct rewrite *t)
{
	enum err e;

	if (t->no_file)
		return ERR_OK;
	if (!t->exists || c->guard.if_version.len || c->options->overwrite)
		return textfile_guard(c, path,
				      t->exists ? &t->file.snap
						: &(struct snapshot){ 0 });
	e = file_read_check_current(c, path, &t->file.snap);
	if (e == ERR_STALE)
		return c->fault->err = ERR_CHANGED;
	return ERR_OK;
}

/* This tool creates no directories (A01): name the one that does. */
static enum err explain_parent(struct call *c, enum err e)
{
	if (e == ERR_NO_PARENT)
		c->fault->hint = STR(
			"This tool does not create directories. Write, if it is offered, creates missing ones");
	return e;
}

enum err rewrite_text(struct call *c, struct str path, struct rewrite *t,
		      struct str content, struct changed *ret)
{
	enum err e = check_seen(c, path, t);

	if (!e)
		e = rewrite_spell(c, path, t, rewrite_endings(c, t, content));
	if (!e)
		e = rewrite_store(c, path, t, /* parents= */ false, ret);
	return explain_parent(c, e);
}
