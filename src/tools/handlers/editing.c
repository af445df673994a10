/*
 * editing.c - what edit_text_file and multi_edit_text_file share: apply all
 * edits or none, store, and describe the result as a diff.
 *
 * Matching is on decoded text, writing splices the original bytes.
 */
#include "tools/handlers/editing.h"

#include "text/diff/unified.h"
#include "text/encoding/utf8.h"
#include "text/lines/lines.h"
#include "text/match/match.h"
#include "tools/call/result.h"
#include "tools/change/hunks.h"
#include "tools/handlers/failed_match.h"

struct str edit_quote(struct call *c, struct str text)
{
	enum { MOST = 64 * 1024 };
	struct str head = utf8_head(text, MOST);
	auto_buf out = BUF_INIT;

	if (head.len == text.len)
		return text;
	buf_add(&out, head);
	buf_addf(&out, "...[truncated %zu bytes]", text.len - head.len);
	return arena_copy(c->mem, buf_str(&out));
}

enum err edit_without_index(struct fault *f, enum err e)
{
	if (e == ERR_NO_MATCH_AT)
		f->err = ERR_NO_MATCH;
	else if (e == ERR_MANY_MATCHES_AT)
		f->err = ERR_MANY_MATCHES;
	else
		return e;
	return f->err;
}

static struct str basename_of(struct str path)
{
	size_t slash = str_rfind(path, '/');

	return slash == path.len ? path : str_skip(path, slash + 1);
}

/* Drop lines from the end until the diff fits the reply. */
static struct str fit_diff(struct call *c, struct str diff, bool *cut)
{
	uint64_t room = result_room(c);

	while (result_cost(c->options->results, diff) > room) {
		diff = str_head(diff, diff.len / 2);
		diff = str_head(diff, str_rfind(diff, '\n') + 1);
		*cut = true;
	}
	return diff;
}

/* A full buffer may end in the middle of a line. */
static struct str whole_lines(const struct buf *out)
{
	struct str text = buf_str(out);

	return out->full ? str_head(text, str_rfind(text, '\n') + 1) : text;
}

/* The diff to the real content, if a hook or editor rewrote the file. */
static void diff_rewritten(struct call *c, struct str path,
			   const struct textfile *file,
			   const struct changed *changed, struct diff *ret)
{
	struct textfile now = { .snap = changed->now };

	if (textfile_show(c, path, &now))
		now.shown.text = STR("");
	diff_texts(file->shown.text, now.shown.text, c->mem, ret);
}

/*
 * The diff of the bytes if they are UTF-8, so that patch(1) can apply it, byte
 * order mark included; else the diff of the decoded text.
 */
static struct str edit_diff(struct call *c, struct str path,
			    const struct textfile *file,
			    const struct reencode *r,
			    const struct changed *changed, bool *cut)
{
	auto_buf out = BUF_UPTO(result_room(c));
	struct diff diff;

	if (changed->rewritten)
		diff_rewritten(c, path, file, changed, &diff);
	else if (encoding_is_utf8(file->in.encoding) &&
		 !file->shown.undecodable_count)
		diff_splices(r->bytes, r->after, r->byte_splices, r->n, c->mem,
			     &diff);
	else
		diff_splices(file->shown.text, r->text, r->splices, r->n,
			     c->mem, &diff);
	unified_print(&diff, basename_of(path), UNIFIED_CONTEXT, &out);
	*cut = out.full;
	return arena_copy(c->mem, whole_lines(&out));
}

/* Store the change, unless the edits cancel out or nothing is to be written. */
static enum err edit_store(struct call *c, const struct edit_want *want,
			   const struct textfile *file,
			   const struct reencode *r, struct changed *changed,
			   struct file_meta *ret)
{
	struct change change = { .path = want->path,
				 .before = &file->snap,
				 .after = r->after,
				 .encoding = file->in.encoding,
				 .splices = r->byte_splices,
				 .splice_count = r->n,
				 .divisible = true };
	enum err e = ERR_OK;

	*changed = (struct changed){ .stored.version = file->snap.version,
				     .stored.source = file->snap.source };
	if (r->n && !want->dry_run)
		e = change_file(c, &change, changed);
	if (e)
		return e;
	file_meta_fill(c, changed->stored.version, file->in,
		       file->shown.undecodable_count, changed->stored.source,
		       ret);
	file_meta_changed(changed, ret);
	return ERR_OK;
}

/*
 * The text in which the failed edit searched: after the edits before it.
 */
static struct str text_before(struct call *c, struct str text,
			      const struct edit *edits, size_t n)
{
	struct edit_done done;
	struct fault f;

	if (!n || edit_apply(text, edits, n, c->mem, &done, &f))
		return text;
	return done.text;
}

/* Add candidates; line numbers count the edits before the failed one. */
static void explain_failed_match(struct call *c, struct str text,
				 const struct edit *edits)
{
	struct fault *f = c->fault;
	struct str staged = text_before(c, text, edits, f->index);

	failed_match_explain(staged, c->mem, f);
	if (f->candidates.len && lines_newlines(staged) != lines_newlines(text))
		f->hint = STR(
			"Lines are counted as if the edits before this one had been made; nothing was changed");
}

/* ERR_TOO_LARGE if the edits would make the text longer than max_file. */
static enum err check_result(struct call *c, size_t len,
			     const struct edit *edits, size_t n)
{
	const uint64_t most = c->options->max_file;
	size_t old = 0, with = 0;

	for (size_t i = 0; i < n; i++) {
		old = size_add(old, edits[i].old.len);
		with = size_add(with, edits[i].with.len);
	}
	len = size_add(len - size_min(len, old), with);
	if (len > most && with > old)
		return fail(c->fault, ERR_TOO_LARGE, .bytes = len,
			    .limit = most);
	return ERR_OK;
}

/* The start of the line before the one that contains @at. */
static size_t line_before(struct str text, size_t at)
{
	size_t end = str_rfind(str_head(text, at), '\n');

	if (end == at || !end)
		return 0;
	at = str_rfind(str_head(text, end), '\n');
	return at == end ? 0 : at + 1;
}

/*
 * The place of a lenient match, by whole lines more until no other place has
 * the same bytes.
 */
static struct edit exact_edit(struct call *c, struct str text,
			      const struct splice *s)
{
	size_t from = s->from, to = s->to;
	auto_buf with = BUF_INIT;

	while (match_count(text, str_sub(text, from, to)) > 1) {
		from = line_before(text, from);
		to += lines_after(str_skip(text, to), 2);
	}
	buf_add(&with, str_sub(text, from, s->from));
	buf_add(&with, s->with);
	buf_add(&with, str_sub(text, s->to, to));
	return (struct edit){ str_sub(text, from, to),
			      arena_copy(c->mem, buf_str(&with)) };
}

/* The edit occurs nowhere exactly: accept a single approximate match. */
static bool edit_loosen(struct call *c, struct str text, struct edit *edits,
			size_t index, enum lenient_rule *ret)
{
	struct str staged = text_before(c, text, edits, index);
	struct edit *edit = &edits[index];
	struct lenient_match m;

	if (!lenient_find(staged, edit->old, edit->with, c->mem, &m))
		return false;
	*edit = exact_edit(c, staged, &m.splice);
	*ret = m.rule;
	return true;
}

static enum err edit_find(struct call *c, const struct edit_want *want,
			  struct str text, struct edited *ret,
			  struct edit_done *done)
{
	enum { MOST_LENIENT = 100 };
	struct edit *edits = arena_array(c->mem, struct edit, want->n);
	enum err e = ERR_NO_MATCH_AT;

	for (size_t i = 0; i < want->n; i++)
		edits[i] = want->edits[i];
	for (int i = 0; e == ERR_NO_MATCH_AT && i <= MOST_LENIENT; i++) {
		e = edit_apply(text, edits, want->n, c->mem, done, c->fault);
		if (e != ERR_NO_MATCH_AT || !want->lenient ||
		    !edit_loosen(c, text, edits, c->fault->index, &ret->rule))
			break;
	}
	if (!e || e == ERR_TOO_LARGE || e == ERR_NO_MEMORY)
		return e;
	explain_failed_match(c, text, edits);
	c->fault->path = want->path;
	c->fault->text = edit_quote(c, c->fault->text);
	return e;
}

static enum err edit_prepare(struct call *c, const struct edit_want *want,
			     struct edited *ret, struct edit_done *done)
{
	struct textfile *file = &ret->file;
	enum err e = ERR_OK;

	if (want->obeys_ignore)
		e = textfile_check_ignored(c, want->path, STR(""));
	if (!e)
		e = textfile_load(c, want->path, ERR_BINARY_EDIT, file);
	if (!e && want->obeys_ignore)
		e = textfile_check_ignored(c, want->path, file->snap.key);
	if (!e)
		e = check_result(c, file->shown.text.len, want->edits, want->n);
	if (!e)
		e = edit_find(c, want, file->shown.text, ret, done);
	if (e)
		return e;
	if (c->progress.stop && c->progress.stop(c->progress.ctx))
		return fail(c->fault, ERR_CANCELLED, .path = want->path);
	return ERR_OK;
}

/* The number of edits in approved hunks. */
static size_t count_applied(struct call *c, const struct textfile *file,
			    const struct edit_done *done, size_t n,
			    const struct accepted_hunks *taken)
{
	struct str text = file->shown.text;
	size_t count = 0, line;
	struct diff diff;

	if (!taken->of)
		return n;
	diff_texts(text, done->text, c->mem, &diff);
	for (size_t i = 0; i < n; i++) {
		const struct edit_range *r = &done->ranges[i];

		line = lines_at(text, r->anchor) - 1;
		count += hunks_took(&diff, taken, line,
				    line + r->end - r->start, c->mem);
	}
	return count;
}

/* What edit_make() leaves to the diff. */
struct edit_trace {
	struct edit_done done;
	struct reencode r;
	struct changed changed;
};

/* Encode and store what t->done has. */
static enum err edit_finish(struct call *c, const struct edit_want *want,
			    struct edited *ret, struct edit_trace *t)
{
	enum err e;

	t->r = (struct reencode){ .splices = t->done.splices,
				  .n = t->done.splice_count,
				  .text = t->done.text };
	e = textfile_reencode(c, want->path, &ret->file, &t->r);
	if (!e)
		e = edit_store(c, want, &ret->file, &t->r, &t->changed,
			       &ret->meta);
	if (e)
		return e;
	ret->ranges = t->done.ranges;
	ret->applied = want->n;
	ret->text = textfile_now(c, want->path, &t->changed, t->done.text);
	if (t->done.given)
		ret->meta.eol = str_of(eol_name(t->done.given));
	if (ret->rule)
		ret->meta.matched = str_of(lenient_rule_name(ret->rule));
	return ERR_OK;
}

static enum err edit_trace(struct call *c, const struct edit_want *want,
			   struct edited *ret, struct edit_trace *t)
{
	enum err e;

	*ret = (struct edited){ 0 };
	e = edit_prepare(c, want, ret, &t->done);
	if (!e)
		e = edit_finish(c, want, ret, t);
	if (!e)
		c->line = want->n ? t->done.ranges[0].start : 0;
	return e;
}

static void edit_tell_diff(struct call *c, struct str path, struct edited *ret,
			   const struct edit_trace *t)
{
	ret->diff = edit_diff(c, path, &ret->file, &t->r, &t->changed,
			      &ret->meta.diff_cut);
	ret->diff = fit_diff(c, ret->diff, &ret->meta.diff_cut);
	c->diff = ret->diff;
	c->say = ret->diff.len ? ret->diff : STR("Nothing changed");
}

enum err edit_splices(struct call *c, struct str path,
		      const struct splice *splices, size_t n, struct str text,
		      struct edited *ret)
{
	const struct edit_want want = { .path = path };
	struct edit_trace t = { .done = { .text = text,
					  .splices = (struct splice *)splices,
					  .splice_count = n } };
	enum err e = edit_finish(c, &want, ret, &t);

	if (!e)
		edit_tell_diff(c, path, ret, &t);
	return e;
}

enum err edit_make(struct call *c, const struct edit_want *want,
		   struct edited *ret)
{
	struct edit_trace t;

	return edit_trace(c, want, ret, &t);
}

enum err edit_file(struct call *c, struct str path, const struct edit *edits,
		   size_t n, struct edited *ret)
{
	const struct edit_want want = { .path = path, .edits = edits, .n = n };
	struct edit_trace t;
	enum err e = edit_trace(c, &want, ret, &t);

	if (e)
		return e;
	ret->applied =
		count_applied(c, &ret->file, &t.done, n, &t.changed.taken);
	edit_tell_diff(c, path, ret, &t);
	return ERR_OK;
}
