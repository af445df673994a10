/*
 * rewriting.c - the whole content of a file is replaced: by Write and
 * write_text_file.
 *
 * Pure work on bytes between rewrite_load() and rewrite_store(); a file in
 * another encoding than UTF-8 keeps the bytes of the lines that do not change.
 */
#include "tools/handlers/rewriting.h"

#include "text/diff/diff.h"
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
	if (textfile_show(c, path, file))
		file->in = (struct detected){ &encoding_utf8 };
	return ERR_OK;
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
}
