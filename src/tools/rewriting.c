#include "tools/rewriting.h"

#include "text/diff.h"
#include "text/lines.h"
#include "tools/told.h"

static const struct str feff = STR_INIT("\xef\xbb\xbf");

/* There is none: it will be in the encoding that somebody names. */
static void begin_new(struct call *c, struct str path, struct textfile *file)
{
	file->in.encoding = told_encoding(c, path);
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
		begin_new(c, path, file);
		return ERR_OK;
	}
	if (e)
		return e;
	ret->exists = true;
	if (textfile_show(c, path, file))
		file->in = (struct detected){ &encoding_utf8 };
	return ERR_OK;
}

/*
 * The lines that differ, as splices of the old text: those that do not keep
 * their bytes, whatever the encoding would make of them.
 */
static void differing(struct call *c, struct str old_text, struct respell *r)
{
	struct diff diff;

	diff_texts(old_text, r->text, c->mem, &diff);
	r->splices = diff_as_splices(&diff, old_text, c->mem);
	r->n = diff.count;
}

/* The file's bytes with the lines of @content that are new in it. */
static enum err respell(struct call *c, struct str path, struct rewrite *t,
			struct str content)
{
	const struct shown *old = &t->file.shown;
	struct respell r = { .text = content };
	enum err e;

	differing(c, old->text, &r);
	if (r.n && old->stray_count)
		return fail(
			c->fault, ERR_UNDECODABLE, .path = path,
			.name = str_of(t->file.in.encoding->name),
			.number = (int64_t)lines_at(old->text, old->strays[0]),
			.hint = STR(
				"Edit the lines that are meant instead of writing the whole file, or remove it first"));
	e = textfile_respell(c, path, &t->file, &r);
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
	if (!encoding_is_utf8(t->file.in.encoding) || t->file.shown.stray_count)
		return respell(c, path, t, content);
	if (!bom.len)
		return ERR_OK;
	joined = arena_alloc(c->mem, bom.len + content.len);
	memcpy(joined, bom.ptr, bom.len);
	if (content.len)
		memcpy(joined + bom.len, content.ptr, content.len);
	t->bytes = str_make(joined, bom.len + content.len);
	return ERR_OK;
}
