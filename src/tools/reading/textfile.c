/*
 * textfile.c - loads a file as text for a tool: permission, version check,
 * encoding, and the _meta of results.
 */
#include "tools/reading/textfile.h"

#include "text/encoding/utf8.h"
#include "text/lines/lines.h"
#include "tools/reading/configured_encoding.h"

enum err textfile_guard(struct call *c, struct str path,
			const struct snapshot *snap)
{
	struct hash want;

	c->seen = (struct seen_file){ path, snap->bytes, snap->key };
	if (!c->guard.if_version.len)
		return ERR_OK;
	if (hash_parse(c->guard.if_version, &want) &&
	    hash_eq(want, snap->version))
		return ERR_OK;
	return fail(c->fault, ERR_CHANGED, .path = path,
		    .version = hash_text(snap->version, c->mem));
}

enum err textfile_check_ignored(struct call *c, struct str path, struct str key)
{
	if (change_is_ignored(c, path, key))
		return fail(c->fault, ERR_IGNORED, .path = path);
	return ERR_OK;
}

enum err textfile_show(struct call *c, struct str path, struct textfile *file)
{
	enum err e = encoding_detect(file->snap.bytes,
				     configured_encoding(c, path), &file->in);

	if (e)
		return e;
	return encoding_decode_escaped(file->in.encoding, file->snap.bytes,
				       c->mem, &file->shown);
}

enum err textfile_fetch(struct call *c, struct str path, struct snapshot *ret)
{
	return file_read_load(c, path, c->options->max_file, ret);
}

/*
 * The configured encoding is looked up only if it can matter: not for ASCII,
 * which most pages are.
 */
static enum err load_page(struct call *c, struct str path,
			  struct page_want *want, struct page *ret)
{
	enum err e =
		ws_page(c->ws, path, want, &c->progress, c->mem, ret, c->fault);

	if (e && e != ERR_BINARY_READ)
		return e;
	if (!e && ret->in.encoding == &encoding_utf8 &&
	    (ret->ascii || !configured_encoding_matters(ret->text)))
		return e;
	want->named = configured_encoding(c, path);
	if (!want->named || (!e && want->named == ret->in.encoding))
		return e;
	return ws_page(c->ws, path, want, &c->progress, c->mem, ret, c->fault);
}

enum err textfile_page(struct call *c, struct str path, struct page_want *want,
		       struct page *ret)
{
	enum err e = file_read_check_access(c, path, STR(""));

	if (!e)
		e = file_read_check_loaded(c, path,
					   load_page(c, path, want, ret),
					   &ret->key);
	if (!e && !ret->no_totals) /* without them its version is unknown */
		file_read_record_page(c, ret);
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

/* "'x' (U+0078)", for the first character of @text. */
static struct str character_words(struct call *c, struct str text)
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
			"Use characters that %s has, or convert the file first: stet convert --to utf-8 FILE",
			name);
	if (e == ERR_UNCERTAIN)
		return STR(
			"Name the file's encoding: by charset in .editorconfig, or with stet serve --encoding GLOB=NAME. Replacing ASCII with ASCII, not right after another letter, works without that");
	return STR(
		"Edit other parts of the file, or name its encoding if it is another one: by charset in .editorconfig, or with stet serve --encoding GLOB=NAME");
}

enum err textfile_reencode(struct call *c, struct str path,
			   const struct textfile *file, struct reencode *r)
{
	const char *name = file->in.encoding->name;
	struct fault fault = { .path = path, .name = str_of(name) };

	r->in = file->in;
	r->bytes = file->snap.bytes;
	r->shown = &file->shown;
	fault.err = encoding_reencode(r, c->mem);
	if (!fault.err)
		return ERR_OK;
	fault.hint = hint_of(c, fault.err, name);
	if (fault.err == ERR_UNENCODABLE) {
		fault.text = character_words(c, str_skip(r->text, r->bad));
		fault.number = (int64_t)lines_at(r->text, r->bad);
	} else {
		fault.number = (int64_t)lines_at(file->shown.text, r->bad);
	}
	return fault_set(c->fault, &fault);
}

static const struct field partial_fields[] = {
	{ "applied", FIELD_INTS,
	  .offset = offsetof(struct accepted_hunks, hunks),
	  .doc = "The numbers of the accepted hunks, from 1" },
	{ "of", FIELD_INT, .offset = offsetof(struct accepted_hunks, of),
	  .doc = "Number of hunks" },
	FIELDS_END,
};

const struct field file_meta_fields[] = {
	{ "version", FIELD_STR, .required = true,
	  .offset = offsetof(struct file_meta, version),
	  .doc = "Version of the file's content, for if_version" },
	{ "encoding", FIELD_STR, .offset = offsetof(struct file_meta, encoding),
	  .doc = "Of the file" },
	{ "encoding_confidence", FIELD_STR,
	  .offset = offsetof(struct file_meta, confidence),
	  .doc = CONFIDENCE_DOC },
	{ "undecodable", FIELD_INT,
	  .offset = offsetof(struct file_meta, undecodable),
	  .doc = UNDECODABLE_DOC },
	{ "eol", FIELD_STR, .offset = offsetof(struct file_meta, eol),
	  .doc = "The line ending that the content was converted to, as in the file before" },
	{ "source", FIELD_STR, .offset = offsetof(struct file_meta, source),
	  .doc = "Where the content comes from: disk or editor" },
	{ "kept", FIELD_STR, .offset = offsetof(struct file_meta, kept),
	  .doc = "Metadata that was preserved, separated by commas: owner, group, mode (set-ID and sticky bits), acl, xattr, links" },
	{ "lost", FIELD_STR, .offset = offsetof(struct file_meta, lost),
	  .doc = "Metadata that could not be preserved: the same words, and capability" },
	{ "operation", FIELD_STR,
	  .offset = offsetof(struct file_meta, operation),
	  .doc = "The id of the operation in the history, for undo_file_change" },
	{ "hook", FIELD_STR, .offset = offsetof(struct file_meta, hook),
	  .doc = "Failure of an after_edit hook; the change was made" },
	{ "history", FIELD_STR, .offset = offsetof(struct file_meta, history),
	  .doc = "Why the change was not recorded in the history" },
	{ "matched", FIELD_STR, .offset = offsetof(struct file_meta, matched),
	  .doc = "What was ignored to find the string: trailing blanks, indentation or quotes" },
	{ "partial", FIELD_OBJECT,
	  .offset = offsetof(struct file_meta, partial),
	  .doc = "The person accepted only some hunks of the change, and nothing else was written: applied has their numbers, of says how many there were",
	  .fields = partial_fields },
	{ "diff_cut", FIELD_BOOL,
	  .offset = offsetof(struct file_meta, diff_cut),
	  .doc = "The diff was too long for one reply and ends early" },
	{ "diff", FIELD_STR, .offset = offsetof(struct file_meta, diff),
	  .doc = "Unified diff of the change, where the result has none" },
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
