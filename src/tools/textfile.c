#include "tools/textfile.h"

#include "text/lines.h"
#include "text/utf8.h"
#include "tools/told.h"

enum err textfile_guard(struct call *c, struct str path,
			const struct snapshot *snap)
{
	struct hash want;

	c->seen = (struct seen){ path, snap->bytes, snap->key };
	if (!c->guard.if_version.len)
		return ERR_OK;
	if (hash_parse(c->guard.if_version, &want) &&
	    hash_eq(want, snap->version))
		return ERR_OK;
	return fail(c->fault, ERR_CHANGED, .path = path,
		    .version = hash_text(snap->version, c->mem));
}

enum err textfile_show(struct call *c, struct str path, struct textfile *file)
{
	enum err e = encoding_detect(file->snap.bytes, told_encoding(c, path),
				     &file->in);

	if (e)
		return e;
	return encoding_show(file->in.encoding, file->snap.bytes, c->mem,
			     &file->shown);
}

enum err textfile_fetch(struct call *c, struct str path, struct snapshot *ret)
{
	return change_load(c, path, c->options->max_file, ret);
}

/*
 * Who says which encoding it is in is asked only when that can matter: not
 * for ASCII, which is what most pages are.
 */
static enum err load_page(struct call *c, struct str path,
			  struct page_want *want, struct page *ret)
{
	enum err e =
		ws_page(c->ws, path, want, &c->errand, c->mem, ret, c->fault);

	if (e && e != ERR_BINARY_READ)
		return e;
	if (!e && ret->in.encoding == &encoding_utf8 &&
	    (ret->ascii || !told_matters(ret->text)))
		return e;
	want->named = told_encoding(c, path);
	if (!want->named || (!e && want->named == ret->in.encoding))
		return e;
	return ws_page(c->ws, path, want, &c->errand, c->mem, ret, c->fault);
}

enum err textfile_page(struct call *c, struct str path, struct page_want *want,
		       struct page *ret)
{
	enum err e = change_may_see(c, path, STR(""));

	if (!e)
		e = change_judge(c, path, load_page(c, path, want, ret),
				 &ret->key);
	if (!e)
		change_has_read_page(c, ret);
	return e;
}

enum err textfile_load(struct call *c, struct str path, enum err binary,
		       struct textfile *ret)
{
	enum err e;

	e = textfile_fetch(c, path, &ret->snap);
	if (e)
		return e;
	e = textfile_guard(c, path, &ret->snap);
	if (e)
		return e;
	e = textfile_show(c, path, ret);
	if (e == ERR_NO_MEMORY)
		return fail_memory(c->fault, STR("decoding this file"),
				   ret->snap.bytes.len, c->mem->charge.budget);
	if (e)
		return fail(c->fault, binary, .path = path);
	return ERR_OK;
}

/* "'x' (U+0078)", of the character at the front of @text. */
static struct str character(struct call *c, struct str text)
{
	size_t len;
	uint32_t code = utf8_next(text, &len);

	return arena_printf(c->mem, "'" STR_FMT "' (U+%04X)",
			    STR_ARG(str_head(text, len)), (unsigned)code);
}

static struct str hint_of(struct call *c, enum err e, const char *name)
{
	if (e == ERR_UNENCODABLE)
		return arena_printf(
			c->mem,
			"Use characters that %s has, or convert the file on purpose: stet convert --to utf-8 FILE",
			name);
	if (e == ERR_UNCERTAIN)
		return STR(
			"Name the file's encoding: by charset in .editorconfig, or with stet serve --encoding GLOB=NAME. Changes of ASCII to ASCII that do not follow other letters need no name");
	return STR(
		"Edit other parts of the file, or name its encoding if it is another one: by charset in .editorconfig, or with stet serve --encoding GLOB=NAME");
}

enum err textfile_respell(struct call *c, struct str path,
			  const struct textfile *file, struct respell *r)
{
	const char *name = file->in.encoding->name;
	struct fault fault = { .path = path, .name = str_of(name) };

	r->in = file->in;
	r->bytes = file->snap.bytes;
	r->shown = &file->shown;
	fault.err = encoding_respell(r, c->mem);
	if (!fault.err)
		return ERR_OK;
	fault.hint = hint_of(c, fault.err, name);
	if (fault.err == ERR_UNENCODABLE) {
		fault.text = character(c, str_skip(r->text, r->bad));
		fault.number = (int64_t)lines_at(r->text, r->bad);
	} else {
		fault.number = (int64_t)lines_at(file->shown.text, r->bad);
	}
	return fault_set(c->fault, &fault);
}

static const struct field partial_fields[] = {
	{ "applied", FIELD_INTS, .offset = offsetof(struct taken, hunks),
	  .doc = "The numbers of those that they accepted, from 1" },
	{ "of", FIELD_INT, .offset = offsetof(struct taken, of),
	  .doc = "How many there were" },
	FIELDS_END,
};

const struct field file_meta_fields[] = {
	{ "version", FIELD_STR, .required = true,
	  .offset = offsetof(struct file_meta, version),
	  .doc = "Of the file's content; may be given as if_version" },
	{ "encoding", FIELD_STR, .offset = offsetof(struct file_meta, encoding),
	  .doc = "Of the file" },
	{ "encoding_confidence", FIELD_STR,
	  .offset = offsetof(struct file_meta, confidence),
	  .doc = CONFIDENCE_DOC },
	{ "undecodable", FIELD_INT,
	  .offset = offsetof(struct file_meta, undecodable),
	  .doc = UNDECODABLE_DOC },
	{ "eol", FIELD_STR, .offset = offsetof(struct file_meta, eol),
	  .doc = "The line ending that the content was given to keep the file's own" },
	{ "source", FIELD_STR, .offset = offsetof(struct file_meta, source),
	  .doc = "Who served it" },
	{ "kept", FIELD_STR, .offset = offsetof(struct file_meta, kept),
	  .doc = "What the file had beyond a new one, and still has, joined by commas: owner, group, mode (set-ID and sticky bits), acl, xattr, links" },
	{ "lost", FIELD_STR, .offset = offsetof(struct file_meta, lost),
	  .doc = "What of the file's metadata could not be kept: the same words, and capability" },
	{ "operation", FIELD_STR,
	  .offset = offsetof(struct file_meta, operation),
	  .doc = "The change in the history; may be undone by this name" },
	{ "hook", FIELD_STR, .offset = offsetof(struct file_meta, hook),
	  .doc = "What went wrong with a hook after the change, which stands" },
	{ "history", FIELD_STR, .offset = offsetof(struct file_meta, history),
	  .doc = "Why the change is not in the history, when it is not" },
	{ "matched", FIELD_STR, .offset = offsetof(struct file_meta, matched),
	  .doc = "What had to be overlooked to find the string: trailing blanks, indentation or quotes" },
	{ "partial", FIELD_OBJECT,
	  .offset = offsetof(struct file_meta, partial),
	  .doc = "The person accepted only some hunks of the change, and nothing else was written: applied has their numbers, of says how many there were",
	  .fields = partial_fields },
	{ "diff_cut", FIELD_BOOL,
	  .offset = offsetof(struct file_meta, diff_cut),
	  .doc = "The diff was too long for one reply and ends early" },
	{ "content_cut", FIELD_BOOL,
	  .offset = offsetof(struct file_meta, content_cut),
	  .doc = "The content was too long for one reply and ends early" },
	FIELDS_END,
};

void file_meta_fill(struct call *c, struct hash version, struct detected in,
		    size_t undecodable, const char *source,
		    struct file_meta *ret)
{
	ret->version = hash_text(version, c->mem);
	ret->encoding = str_of(in.encoding->name);
	if (in.confidence != CONFIDENCE_CERTAIN)
		ret->confidence = str_of(confidence_name(in.confidence));
	ret->undecodable = (int64_t)undecodable;
	ret->source = str_of(source ? source : c->ws->source);
}

struct str textfile_now(struct call *c, struct str path,
			const struct changed *changed, struct str text)
{
	struct textfile now = { .snap = changed->now };

	if (!changed->rewritten || textfile_show(c, path, &now))
		return text;
	return now.shown.text;
}

void file_meta_changed(const struct changed *changed, struct file_meta *ret)
{
	ret->kept = changed->stored.kept;
	ret->lost = changed->stored.lost;
	ret->operation = changed->op_text;
	ret->hook = changed->hook;
	ret->history = changed->not_kept;
	ret->partial = changed->taken;
}
