/*
 * t_move_lines.c - the tool move_lines: moves or copies lines, named by their
 * numbers, within a file or to another one.
 *
 * Two files change together or not at all (change_group()).
 */
#include "text/encoding/utf8.h"
#include "text/lines/eol.h"
#include "text/lines/lines.h"
#include "tools/find/find.h"
#include "tools/handlers/editing.h"
#include "tools/handlers/line_ranges.h"

struct move_lines_args {
	struct str source, destination, if_destination_version;
	struct line_range range;
	int64_t line; /* 0 = at the end */
	bool copy;
};

struct move_lines_out {
	struct str content;
	struct line_range source, destination;
	struct file_meta meta;
};

/* A move, on its way. */
struct line_move {
	struct str source, destination; /* absolute */
	struct textfile from, to;
	bool within; /* one file */
	struct line_place lines, target;
	struct str text; /* the lines */
	struct line_range now;
};

static enum err load_destination(struct call *c, struct line_move *m)
{
	const struct move_lines_args *a = c->args;
	const struct call_guard guard = c->guard;
	enum err e;

	c->guard.if_version = a->if_destination_version;
	e = line_ranges_load(c, m->destination, &m->to);
	c->guard = guard;
	return e;
}

static enum err move_lines_load(struct call *c, struct line_move *m)
{
	const struct move_lines_args *a = c->args;
	enum err e;

	*m = (struct line_move){ 0 };
	e = find_absolute(c, a->source, &m->source);
	if (!e)
		e = find_absolute(c, a->destination, &m->destination);
	if (!e)
		e = line_ranges_load(c, m->source, &m->from);
	if (e)
		return e;
	m->within = str_eq(m->source, m->destination);
	if (m->within)
		m->to = m->from;
	else
		e = load_destination(c, m);
	if (!e && !m->within)
		m->within = str_eq(m->from.snap.key, m->to.snap.key);
	return e;
}

/* Bytes that are no text cannot be put elsewhere. */
static enum err check_decodable(struct call *c, const struct line_move *m)
{
	const struct decoded_text *shown = &m->from.shown;

	for (size_t i = 0; i < shown->undecodable_count; i++) {
		size_t at = shown->undecodable[i];

		if (at >= m->lines.from && at < m->lines.to)
			return fail(c->fault, ERR_UNDECODABLE,
				    .path = m->source,
				    .name = str_of(m->from.in.encoding->name),
				    .number =
					    (int64_t)lines_at(shown->text, at));
	}
	return ERR_OK;
}

static enum err move_lines_find(struct call *c, struct line_move *m)
{
	const struct move_lines_args *a = c->args;
	struct str to = m->to.shown.text;
	int64_t line = a->line ? a->line : (int64_t)lines_count(to) + 1;
	int64_t n = a->range.last - a->range.first + 1;
	bool inside =
		m->within && line > a->range.first && line <= a->range.last;
	enum err e = line_ranges_find(c, a->source, m->from.shown.text,
				      a->range, &m->lines);

	if (!e && (n < 1 || inside))
		e = fail(c->fault, ERR_BAD_RANGE, .path = a->source,
			 .number = n < 1 ? a->range.first : line,
			 .limit = (uint64_t)a->range.last,
			 .count = lines_count(m->from.shown.text));
	if (!e)
		e = line_ranges_find(c, a->destination, to,
				     (struct line_range){ line, line - 1 },
				     &m->target);
	if (e)
		return e;
	m->text = str_sub(m->from.shown.text, m->lines.from, m->lines.to);
	m->now.first =
		m->within && !a->copy && line > a->range.last ? line - n : line;
	m->now.last = m->now.first + n - 1;
	return check_decodable(c, m);
}

/* The lines as they are to be at the destination. */
static struct str moved_text(struct call *c, const struct line_move *m)
{
	struct str text = m->text;

	if (!m->within && eol_of(m->to.shown.text) == EOL_CRLF)
		text = eol_to_crlf(text, c->mem);
	if (!m->within && eol_of(m->to.shown.text) == EOL_LF)
		text = eol_to_lf(text, c->mem);
	return line_ranges_close(c, text, &m->target);
}

/* Within one file, or a copy: one file changes. */
static enum err move_in_one(struct call *c, const struct line_move *m,
			    struct file_meta *ret)
{
	const struct move_lines_args *a = c->args;
	struct splice put = { m->target.from, m->target.from,
			      moved_text(c, m) };
	struct splice cut = { m->lines.from, m->lines.to, STR("") };
	bool up = put.from <= cut.from;
	struct splice list[] = { up ? put : cut, up ? cut : put };
	struct edited edited = { .file = m->to };
	bool stays = !a->copy && (put.from == cut.from || put.from == cut.to);
	size_t n = stays ? 0 : a->copy ? 1 : 2;
	struct splice *splices = a->copy ? &put : list;
	struct str text = edit_splice(m->to.shown.text, splices, n, c->mem);
	enum err e = edit_splices(c, m->destination, splices, n, text, &edited);

	*ret = edited.meta;
	return e;
}

static enum err reencode_one(struct call *c, struct str path,
			     const struct textfile *file,
			     const struct splice *splice, struct change *ret)
{
	struct reencode r = { .splices = splice, .n = 1 };
	enum err e;

	r.text = edit_splice(file->shown.text, splice, 1, c->mem);
	e = textfile_reencode(c, path, file, &r);
	*ret = (struct change){ .path = path,
				.before = &file->snap,
				.after = r.after,
				.encoding = file->in.encoding,
				.splices = r.byte_splices,
				.splice_count = r.n };
	return e;
}

static enum err move_between(struct call *c, const struct line_move *m,
			     struct file_meta *ret)
{
	const struct splice cut = { m->lines.from, m->lines.to, STR("") };
	const struct splice put = { m->target.from, m->target.from,
				    moved_text(c, m) };
	struct changed changed[2];
	struct change changes[2];
	enum err e;

	e = reencode_one(c, m->source, &m->from, &cut, &changes[0]);
	if (!e)
		e = reencode_one(c, m->destination, &m->to, &put, &changes[1]);
	if (!e)
		e = change_group(c, changes, 2, changed);
	if (e)
		return e;
	file_meta_fill(c, changed[1].stored.version, m->to.in,
		       m->to.shown.undecodable_count, changed[1].stored.source,
		       ret);
	file_meta_changed(&changed[1], ret);
	return ERR_OK;
}

/* The first characters of a line, and its number. */
static void tell_line(int64_t number, struct str text, struct buf *out)
{
	enum { SHOWN = 80 };
	struct str line = str_head(text, str_find(text, '\n'));
	size_t at = 0, len;

	for (int i = 0; i < SHOWN && at < line.len; i++) {
		(void)utf8_next(str_skip(line, at), &len);
		at += len;
	}
	if (at == line.len && str_ends(line, STR("\r")))
		at--;
	buf_addf(out, "\n%lld: ", (long long)number);
	buf_add(out, str_head(line, at));
}

static void move_lines_tell(struct call *c, const struct line_move *m)
{
	const struct move_lines_args *a = c->args;
	struct move_lines_out *out = c->out;
	size_t last = lines_start(m->text, lines_count(m->text));
	auto_buf said = BUF_INIT;

	buf_addf(&said,
		 "%s " STR_FMT " of " STR_FMT " to " STR_FMT " of " STR_FMT,
		 a->copy ? "Copied" : "Moved",
		 STR_ARG(line_ranges_words(c, a->range)), STR_ARG(a->source),
		 STR_ARG(line_ranges_words(c, m->now)),
		 STR_ARG(a->destination));
	tell_line(m->now.first, m->text, &said);
	if (m->now.last > m->now.first)
		tell_line(m->now.last, str_skip(m->text, last), &said);
	out->content = arena_copy(c->mem, buf_str(&said));
	out->source = a->range;
	out->destination = m->now;
	c->say = out->content;
	c->line = (size_t)m->now.first;
}

static enum err move_lines_run(struct call *c)
{
	const struct move_lines_args *a = c->args;
	struct move_lines_out *out = c->out;
	struct line_move m;
	enum err e;

	e = move_lines_load(c, &m);
	if (!e)
		e = move_lines_find(c, &m);
	if (e)
		return e;
	if (m.within || a->copy)
		e = move_in_one(c, &m, &out->meta);
	else
		e = move_between(c, &m, &out->meta);
	if (e == ERR_CHANGED) /* to the caller a file is stale */
		return c->fault->err = ERR_STALE;
	if (e)
		return e;
	move_lines_tell(c, &m);
	return ERR_OK;
}

static const struct field fields[] = {
	{ "source", FIELD_STR, .required = true,
	  .offset = offsetof(struct move_lines_args, source),
	  .doc = "File that you have read" },
	{ "start_line", FIELD_INT, .required = true,
	  .offset = offsetof(struct move_lines_args, range.first),
	  .doc = "First line to move, from 1" },
	{ "end_line", FIELD_INT, .required = true,
	  .offset = offsetof(struct move_lines_args, range.last),
	  .doc = "Last line to move" },
	{ "destination", FIELD_STR, .required = true,
	  .offset = offsetof(struct move_lines_args, destination),
	  .doc = "File that you have read; may be the same" },
	{ "line", FIELD_INT, .offset = offsetof(struct move_lines_args, line),
	  .doc = "Line before which they are put; left out: at the end",
	  .min = 0, .below = ERR_BAD_LINE },
	{ "copy", FIELD_BOOL, .offset = offsetof(struct move_lines_args, copy),
	  .doc = "Leave the lines in the source", .standard = "false" },
	{ "if_destination_version", FIELD_STR, .unlisted = true,
	  .offset = offsetof(struct move_lines_args, if_destination_version),
	  .doc = "As if_version, for the destination" },
	FIELDS_END,
};

static const struct field out[] = {
	{ "content", FIELD_STR, .required = true,
	  .offset = offsetof(struct move_lines_out, content),
	  .doc = "What was done, and the start of the first and last line" },
	{ "source", FIELD_OBJECT, .required = true,
	  .offset = offsetof(struct move_lines_out, source),
	  .doc = "Where the lines were", .fields = line_range_fields },
	{ "destination", FIELD_OBJECT, .required = true,
	  .offset = offsetof(struct move_lines_out, destination),
	  .doc = "Where they are now", .fields = line_range_fields },
	FILE_META(move_lines_out),
	FIELDS_END,
};

static const char *const constraints[] = {
	"Both files must have been read by the same caller, and must not have changed since (errorCode 2 and 3 as in Write); if_version, and if_destination_version for the destination, replace that",
	"A range that is not in the file, or a target within it, is refused (-32600)",
	"Both files change, or none",
	"The lines keep their bytes where encoding and line endings are the same; else they are written as the destination is, or refused",
	"The result never repeats the lines",
	NULL,
};

static const struct tool_example examples[] = {
	{ "Move a function to the end of another file",
	  "{\"source\":\"a.py\",\"start_line\":3,\"end_line\":4,\"destination\":\"b.py\"}",
	  "{\"content\":\"Moved lines 3 to 4 of a.py to lines 8 to 9 of b.py\\n8: def f():\\n9:     pass\",\"source\":{\"start\":3,\"end\":4},\"destination\":{\"start\":8,\"end\":9}}" },
	{ NULL },
};

const struct tool tool_move_lines = {
	.name = "move_lines",
	.title = "Move lines",
	.doc = "Move or copy lines by their numbers, within a file or to another, without repeating them.",
	.families = { "lines" },
	.kind = "edit",
	.fields = fields,
	.out = out,
	.args_size = sizeof(struct move_lines_args),
	.out_size = sizeof(struct move_lines_out),
	.effects = TOOL_EDITS,
	.run = move_lines_run,
	.text_result = true,
	.error_codes = true,
	.fails_as_result = true,
	.constraints = constraints,
	.examples = examples,
};
