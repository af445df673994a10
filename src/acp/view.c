#include "acp/view.h"

#include "text/diff.h"

static const struct str mark = STR_INIT("\xef\xbb\xbf");
static const struct str unknown = STR_INIT("\xef\xbf\xbd");

static bool holds(struct str text, struct str what)
{
	return memmem(text.ptr, text.len, what.ptr, what.len);
}

/* All line endings as LF, also those of a CR alone. */
static struct str plain_of(struct str text, struct arena *mem)
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

/* Some clients give the lines without the end of the last, or with one. */
static struct str lines_of(struct str plain)
{
	return str_ends(plain, STR("\n")) ? str_head(plain, plain.len - 1)
					  : plain;
}

static bool has_lone_cr(struct str text, struct arena *mem)
{
	struct str lf = eol_to_lf(text, mem);

	return str_find(lf, '\r') < lf.len;
}

bool view_open(struct str bytes, struct arena *mem, struct view_file *ret)
{
	*ret = (struct view_file){ .bytes = bytes };
	if (encoding_detect(bytes, NULL, &ret->in) ||
	    encoding_show(ret->in.encoding, bytes, mem, &ret->shown) ||
	    ret->shown.stray_count)
		return false;
	ret->plain = plain_of(ret->shown.text, mem);
	ret->eol = eol_of(ret->shown.text);
	ret->odd = ret->eol == EOL_MIXED || has_lone_cr(ret->shown.text, mem);
	return true;
}

/* How the line before @at ends, or the first one. */
static bool is_crlf(struct str text, size_t at)
{
	size_t end = at ? at - 1 : str_find(text, '\n');

	return end > 0 && end < text.len && text.ptr[end - 1] == '\r';
}

/* What is put in takes the line endings of its place. */
static void fit_endings(struct str text, struct splice *splices, size_t n,
			struct arena *mem)
{
	for (size_t i = 0; i < n; i++)
		if (is_crlf(text, splices[i].from))
			splices[i].with = eol_to_crlf(splices[i].with, mem);
}

static bool has_letters(struct str text)
{
	for (size_t i = 0; i < text.len; i++)
		if (text.ptr[i] & '\x80')
			return true;
	return false;
}

/*
 * An encoding that was guessed: what the editor shows must agree with it in
 * some place beyond ASCII before what differs is taken for typed.
 */
static bool agrees(const struct view_file *file, const struct splice *splices,
		   size_t n)
{
	struct str text = file->shown.text;
	bool differs = false;
	size_t at = 0;

	if (file->in.confidence == CONFIDENCE_CERTAIN)
		return true;
	for (size_t i = 0; i < n; i++) {
		if (has_letters(str_sub(text, at, splices[i].from)))
			return true;
		at = splices[i].to;
		differs = differs ||
			  has_letters(str_sub(text, splices[i].from, at));
	}
	return !differs || has_letters(str_skip(text, at));
}

/* The file's bytes with the lines of @shown that are not in it. */
static bool respell(const struct view_file *file, struct str shown,
		    bool literal, struct arena *mem, struct str *ret)
{
	struct str text = file->shown.text;
	struct respell r = { .in = file->in,
			     .bytes = file->bytes,
			     .shown = &file->shown };
	struct splice *splices;
	struct diff diff;

	if (literal)
		diff_texts(text, shown, mem, &diff);
	else
		diff_texts(eol_to_lf(text, mem), eol_to_lf(shown, mem), mem,
			   &diff);
	splices = diff_as_splices(&diff, text, mem);
	if (!agrees(file, splices, diff.count))
		return false;
	if (!literal)
		fit_endings(text, splices, diff.count, mem);
	r.splices = splices;
	r.n = diff.count;
	r.text = edit_splice(text, splices, r.n, mem);
	if (encoding_respell(&r, mem))
		return false;
	*ret = r.after;
	return true;
}

void view_read(const struct view_file *file, struct str shown,
	       struct arena *mem, struct view *ret)
{
	struct str text = file->shown.text, plain;

	*ret = (struct view){ .marked = str_starts(shown, mark) &&
					!str_starts(text, mark) };
	if (ret->marked)
		shown = str_skip(shown, mark.len);
	plain = plain_of(shown, mem);
	ret->text = hash_of(lines_of(plain));
	ret->literal = eol_crlfs(shown) > 0;
	if (str_eq(lines_of(plain), lines_of(file->plain))) {
		if (file->odd && !str_eq(shown, text))
			ret->kind = VIEW_BLIND;
		return;
	}
	ret->kind = VIEW_OTHER;
	/* it takes the file to be in another encoding than it is */
	if ((holds(shown, unknown) && !holds(text, unknown)) ||
	    !respell(file, shown, ret->literal, mem, &ret->bytes))
		ret->kind = VIEW_BLIND;
}

/* Would a save end the lines of @text as they are? */
static bool keeps_endings(const struct view_file *file, struct str text,
			  struct arena *mem)
{
	enum eol eol = eol_of(text);

	if (file->odd || has_lone_cr(text, mem))
		return false;
	return eol == EOL_NONE || eol == file->eol ||
	       (eol == EOL_LF && file->eol == EOL_NONE);
}

bool view_spell(const struct view_file *file, const struct view *view,
		struct str bytes, struct arena *mem, struct str *ret,
		struct hash *ret_text)
{
	struct detected in;
	struct str text;

	if (encoding_detect(bytes, file->in.encoding, &in) ||
	    in.encoding != file->in.encoding ||
	    encoding_decode(in.encoding, bytes, mem, &text))
		return false;
	if (!view->literal && !keeps_endings(file, text, mem))
		return false;
	*ret_text = hash_of(lines_of(plain_of(text, mem)));
	if (!view->literal)
		text = eol_to_lf(text, mem);
	if (view->marked)
		text = arena_printf(mem, "%.*s%.*s", (int)mark.len, mark.ptr,
				    (int)text.len, text.ptr);
	*ret = text;
	return true;
}
