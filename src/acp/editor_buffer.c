/*
 * editor_buffer.c - compares the text of an editor with the bytes on disk.
 *
 * Pure work on bytes: no I/O, no locks. The changed lines are encoded into the
 * file's own encoding and line endings; all other bytes stay those of the disk.
 */
#include "acp/editor_buffer.h"

#include "text/diff/diff.h"

static const struct str utf8_bom = STR_INIT("\xef\xbb\xbf");
static const struct str replacement_char = STR_INIT("\xef\xbf\xbd");

static bool contains(struct str text, struct str what)
{
	return memmem(text.ptr, text.len, what.ptr, what.len);
}

/* Convert CRLF and lone CR to LF. */
static struct str with_lf(struct str text, struct arena *mem)
{
	struct str lf = eol_to_lf(text, mem);
	char *copy, *cr;

	if (str_find(lf, '\r') == lf.len)
		return lf;
	copy = arena_cstr(mem, lf);
	while ((cr = memchr(copy, '\r', lf.len)))
		*cr = '\n';
	return str_make(copy, lf.len);
}

/* Clients differ in whether the text ends with a newline. */
static struct str without_last_newline(struct str plain)
{
	return str_ends(plain, STR("\n")) ? str_head(plain, plain.len - 1)
					  : plain;
}

static bool has_lone_cr(struct str text, struct arena *mem)
{
	struct str lf = eol_to_lf(text, mem);

	return str_find(lf, '\r') < lf.len;
}

bool disk_text_open(struct str bytes, struct arena *mem, struct disk_text *ret)
{
	*ret = (struct disk_text){ .bytes = bytes };
	if (encoding_detect(bytes, NULL, &ret->in) ||
	    encoding_decode_escaped(ret->in.encoding, bytes, mem,
				    &ret->shown) ||
	    ret->shown.undecodable_count)
		return false;
	ret->plain = with_lf(ret->shown.text, mem);
	ret->eol = eol_of(ret->shown.text);
	ret->mixed_eol =
		ret->eol == EOL_MIXED || has_lone_cr(ret->shown.text, mem);
	return true;
}

/* Does the line before @at, or the first line, end with CRLF? */
static bool is_crlf(struct str text, size_t at)
{
	size_t end = at ? at - 1 : str_find(text, '\n');

	return end > 0 && end < text.len && text.ptr[end - 1] == '\r';
}

/* Inserted lines take the line ending of their context. */
static void fit_eol(struct str text, struct splice *splices, size_t n,
		    struct arena *mem)
{
	for (size_t i = 0; i < n; i++)
		if (is_crlf(text, splices[i].from))
			splices[i].with = eol_to_crlf(splices[i].with, mem);
}

static bool has_non_ascii(struct str text)
{
	for (size_t i = 0; i < text.len; i++)
		if (text.ptr[i] & '\x80')
			return true;
	return false;
}

/*
 * If the encoding was guessed, editor and disk must agree on some non-ASCII
 * text before a difference is taken for an edit.
 */
static bool encoding_is_plausible(const struct disk_text *file,
				  const struct splice *splices, size_t n)
{
	struct str text = file->shown.text;
	bool differs = false;
	size_t at = 0;

	if (file->in.confidence == CONFIDENCE_CERTAIN)
		return true;
	for (size_t i = 0; i < n; i++) {
		if (has_non_ascii(str_sub(text, at, splices[i].from)))
			return true;
		at = splices[i].to;
		differs = differs ||
			  has_non_ascii(str_sub(text, splices[i].from, at));
	}
	return !differs || has_non_ascii(str_skip(text, at));
}

/* The bytes on disk with the changed lines of @shown encoded into them. */
static bool encode_changes(const struct disk_text *file, struct str shown,
			   bool raw_eol, struct arena *mem, struct str *ret)
{
	struct str text = file->shown.text;
	struct reencode r = { .in = file->in,
			      .bytes = file->bytes,
			      .shown = &file->shown };
	struct splice *splices;
	struct diff diff;

	if (raw_eol)
		diff_texts(text, shown, mem, &diff);
	else
		diff_texts(eol_to_lf(text, mem), eol_to_lf(shown, mem), mem,
			   &diff);
	splices = diff_as_splices(&diff, text, mem);
	if (!encoding_is_plausible(file, splices, diff.count))
		return false;
	if (!raw_eol)
		fit_eol(text, splices, diff.count, mem);
	r.splices = splices;
	r.n = diff.count;
	r.text = edit_splice(text, splices, r.n, mem);
	if (encoding_reencode(&r, mem))
		return false;
	*ret = r.after;
	return true;
}

void editor_buffer_read(const struct disk_text *file, struct str shown,
			struct arena *mem, struct editor_buffer *ret)
{
	struct str text = file->shown.text, plain;

	*ret = (struct editor_buffer){ .has_bom = str_starts(shown, utf8_bom) &&
						  !str_starts(text, utf8_bom) };
	if (ret->has_bom)
		shown = str_skip(shown, utf8_bom.len);
	plain = with_lf(shown, mem);
	ret->text = hash_of(without_last_newline(plain));
	ret->raw_eol = eol_crlfs(shown) > 0;
	if (str_eq(without_last_newline(plain),
		   without_last_newline(file->plain))) {
		if (file->mixed_eol && !str_eq(shown, text))
			ret->state = BUFFER_UNUSABLE;
		return;
	}
	ret->state = BUFFER_MODIFIED;
	/* U+FFFD or unencodable text: the editor decoded the file differently */
	if ((contains(shown, replacement_char) &&
	     !contains(text, replacement_char)) ||
	    !encode_changes(file, shown, ret->raw_eol, mem, &ret->bytes))
		ret->state = BUFFER_UNUSABLE;
}

/* Would a save write the line endings of @text unchanged? */
static bool keeps_eol(const struct disk_text *file, struct str text,
		      struct arena *mem)
{
	enum eol eol = eol_of(text);

	if (file->mixed_eol || has_lone_cr(text, mem))
		return false;
	return eol == EOL_NONE || eol == file->eol ||
	       (eol == EOL_LF && file->eol == EOL_NONE);
}

bool editor_buffer_encode(const struct disk_text *file,
			  const struct editor_buffer *buffer, struct str bytes,
			  struct arena *mem, struct str *ret,
			  struct hash *ret_text)
{
	struct detected in;
	struct str text;

	if (encoding_detect(bytes, file->in.encoding, &in) ||
	    in.encoding != file->in.encoding ||
	    encoding_decode(in.encoding, bytes, mem, &text))
		return false;
	if (!buffer->raw_eol && !keeps_eol(file, text, mem))
		return false;
	*ret_text = hash_of(without_last_newline(with_lf(text, mem)));
	if (!buffer->raw_eol)
		text = eol_to_lf(text, mem);
	if (buffer->has_bom)
		text = arena_printf(mem, "%.*s%.*s", (int)utf8_bom.len,
				    utf8_bom.ptr, (int)text.len, text.ptr);
	*ret = text;
	return true;
}
