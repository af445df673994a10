/*
 * describe.c - a change in words: which files come and go, what is binary,
 * and what of mode, encoding and line endings becomes something else.
 *
 * Relies on encoding_display_text() for what counts as text, as the diff does.
 */
#include "tools/change/describe.h"

#include "text/lines/eol.h"
#include "text/lines/lines.h"

/* Properties of one side. */
struct look_side {
	struct described_side as;
	const struct encoding *encoding; /* NULL if binary */
	bool ascii;
	enum eol eol;
	size_t bytes;
};

struct str describe_number(uint64_t n, struct arena *mem)
{
	char digits[32], *end = digits + sizeof(digits), *at = end;

	for (size_t i = 0; !i || n; i++, n /= 10) {
		if (i && i % 3 == 0)
			*--at = ',';
		*--at = (char)('0' + n % 10);
	}
	return arena_copy(mem, str_make(at, (size_t)(end - at)));
}

struct str describe_count(uint64_t n, const char *one, struct arena *mem)
{
	return arena_printf(mem, STR_FMT " %s%s",
			    STR_ARG(describe_number(n, mem)), one,
			    n == 1 ? "" : "s");
}

/*
 * The encoding of the old content. If it is detected with certainty it may
 * differ from the one that is written, which no line of a diff shows.
 */
static const struct encoding *encoding_before(struct str bytes,
					      const struct display *as)
{
	struct detected in;

	if (!as->named && !encoding_detect(bytes, NULL, &in) &&
	    in.confidence != CONFIDENCE_LOW)
		return in.encoding;
	return encoding_for_display(bytes, as);
}

static struct look_side look_at_side(const struct described *d, bool after)
{
	const struct file_content *side = after ? &d->after : &d->before;
	struct look_side l = { .as.exists = side->exists };
	struct detected ignored;

	if (!side->exists)
		return l;
	l.bytes = side->bytes.len;
	l.as.text = (after && d->is_text) ||
		    !encoding_detect(side->bytes, d->as.written, &ignored);
	return l;
}

static void decode_side(const struct described *d, bool after,
			struct look_side *l, struct arena *mem)
{
	struct str bytes = after ? d->after.bytes : d->before.bytes;
	struct str was = d->before.exists ? d->before.bytes : STR("");

	l->as.text = l->as.text && encoding_display_text(bytes, was, &d->as,
							 mem, &l->as.shown);
	if (!l->as.text)
		return;
	l->encoding = after ? encoding_for_display(bytes, &d->as)
			    : encoding_before(bytes, &d->as);
	l->eol = eol_of(l->as.shown);
	(void)lines_scan(bytes, &l->ascii);
}

/* "a binary file of 2,000 bytes", "a file of 12 lines", "an empty file" */
static struct str noun_for(const struct look_side *l, struct arena *mem)
{
	if (!l->bytes)
		return STR("an empty file");
	if (!l->as.text)
		return arena_printf(mem, "a binary file of " STR_FMT,
				    STR_ARG(describe_count(l->bytes, "byte",
							   mem)));
	return arena_printf(mem, "a file of " STR_FMT,
			    STR_ARG(describe_count(lines_count(l->as.shown),
						   "line", mem)));
}

static void add_line(struct buf *out, struct str line)
{
	if (out->len)
		buf_addc(out, '\n');
	buf_add(out, line);
}

static void say_binary(const struct look_side *a, const struct look_side *b,
		       struct arena *mem, struct buf *out)
{
	struct str old = noun_for(a, mem), new = noun_for(b, mem);

	if (!a->as.text && !b->as.text)
		new = arena_printf(mem, "one of " STR_FMT,
				   STR_ARG(describe_count(b->bytes, "byte",
							  mem)));
	add_line(out, arena_printf(mem, "replaces " STR_FMT " by " STR_FMT,
				   STR_ARG(old), STR_ARG(new)));
}

/* Files that are created, deleted, or binary on one side. */
static void say_files(const struct look_side *a, const struct look_side *b,
		      bool same, struct arena *mem, struct buf *out)
{
	const char *verb = a->as.exists ? "deletes" : "creates";

	if (a->as.exists && b->as.exists && !same &&
	    (!a->as.text || !b->as.text))
		say_binary(a, b, mem, out);
	else if (a->as.exists != b->as.exists)
		add_line(out,
			 arena_printf(mem, "%s " STR_FMT, verb,
				      STR_ARG(noun_for(a->as.exists ? a : b,
						       mem))));
}

static const char *eol_words(enum eol e)
{
	static const char *const words[] = {
		[EOL_NONE] = "none",
		[EOL_LF] = "LF",
		[EOL_CRLF] = "CRLF",
		[EOL_MIXED] = "mixed",
	};

	return words[e];
}

/* A change of encoding or line endings. */
static void say_spelling(const struct look_side *a, const struct look_side *b,
			 struct arena *mem, struct buf *out)
{
	if (!a->as.text || !b->as.text || !a->bytes || !b->bytes)
		return;
	if (a->encoding != b->encoding && a->encoding && b->encoding &&
	    !a->ascii)
		add_line(out,
			 arena_printf(mem, "changes the encoding from %s to %s",
				      a->encoding->name, b->encoding->name));
	if (a->eol != b->eol && a->eol != EOL_NONE && b->eol != EOL_NONE)
		add_line(out,
			 arena_printf(mem, "changes line endings from %s to %s",
				      eol_words(a->eol), eol_words(b->eol)));
}

static void say_mode(const struct described *d, struct arena *mem,
		     struct buf *out)
{
	if (d->before.exists && d->after.exists && d->after.mode &&
	    d->after.mode != d->before.mode)
		add_line(out, arena_printf(mem, "changes mode to %03o",
					   d->after.mode));
}

static void add_badges(const struct look_side *l, struct buf *out)
{
	if (!l->as.text || !l->bytes)
		return;
	if (l->encoding && l->encoding != &encoding_utf8)
		add_line(out, str_of(l->encoding->name));
	if (l->eol == EOL_CRLF)
		add_line(out, STR("CRLF"));
	else if (l->eol == EOL_MIXED)
		add_line(out, STR("mixed line endings"));
}

static void say_addition(const struct look_side *l, struct arena *mem,
			 struct buf *out)
{
	struct str much = l->as.text ? describe_count(lines_count(l->as.shown),
						      "line", mem)
				     : describe_count(l->bytes, "byte", mem);

	add_line(out, arena_printf(mem, "adds " STR_FMT " at the end",
				   STR_ARG(much)));
}

void describe_change(const struct described *d, struct arena *mem,
		     struct description *ret)
{
	struct look_side a = look_at_side(d, /* after= */ false);
	struct look_side b = look_at_side(d, /* after= */ true);
	bool same = a.as.exists && b.as.exists &&
		    str_eq(d->before.bytes, d->after.bytes);
	auto_buf does = BUF_INIT, badges = BUF_INIT;

	decode_side(d, /* after= */ false, &a, mem);
	decode_side(d, /* after= */ true, &b, mem);
	if (d->appends) {
		say_addition(&b, mem, &does);
	} else {
		say_files(&a, &b, same, mem, &does);
		say_spelling(&a, &b, mem, &does);
		say_mode(d, mem, &does);
	}
	add_badges(b.as.exists ? &b : &a, &badges);
	*ret = (struct description){ .before = a.as, .after = b.as };
	ret->does = arena_copy(mem, buf_str(&does));
	ret->badges = arena_copy(mem, buf_str(&badges));
}
