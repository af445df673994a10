/*
 * concurrent_change.c - adds the difference between the file and what the
 * caller had read to an error about a concurrent change.
 *
 * Loads the file once more; nothing is revealed about a file that the caller
 * may not see.
 */
#include "tools/reading/concurrent_change.h"

#include "text/diff/unified.h"
#include "text/encoding/utf8.h"
#include "tools/change/record.h"
#include "tools/permissions/gate.h"
#include "tools/reading/textfile.h"

static const struct str cut = STR_INIT("...\n");

/* Cut at the end of a line, unless that would lose more than half. */
static struct str shorten_diff(struct str diff, struct arena *mem)
{
	struct str head;
	size_t end;

	if (diff.len <= CONCURRENT_CHANGE_MOST)
		return arena_copy(mem, diff);
	head = utf8_head(diff, CONCURRENT_CHANGE_MOST - cut.len - 1);
	end = str_rfind(head, '\n');
	if (end > head.len / 2 && end < head.len)
		head = str_head(head, end);
	return arena_printf(mem, STR_FMT "\n" STR_FMT, STR_ARG(head),
			    STR_ARG(cut));
}

static struct str last_name(struct str path)
{
	size_t slash = str_rfind(path, '/');

	return slash == path.len ? path : str_skip(path, slash + 1);
}

static struct str diff_since(struct call *c, struct str before,
			     struct str after)
{
	auto_buf out = BUF_INIT;
	struct diff diff;

	diff_texts(before, after, c->mem, &diff);
	unified_print(&diff, last_name(c->seen.path), /* context= */ 0, &out);
	return shorten_diff(buf_str(&out), c->mem);
}

bool is_concurrent_change(enum err e)
{
	return e == ERR_CHANGED || e == ERR_OVERTAKEN || e == ERR_STALE ||
	       e == ERR_SURPRISED;
}

/* Only about the file that was checked, or one that is not hidden. */
static bool may_report_changes(struct call *c, struct str key)
{
	if (c->seen.key.len)
		return str_eq(key, c->seen.key);
	return !gate_hides(c, c->seen.path, key);
}

void concurrent_change_explain(struct call *c)
{
	struct fault *f = c->fault, ignored = { 0 };
	struct textfile before = { .snap.bytes = c->seen.bytes }, now = { 0 };

	if (!c->seen.path.len ||
	    ws_load(c->ws, c->seen.path, c->options->max_file, &c->progress,
		    c->mem, &now.snap, &ignored) ||
	    !may_report_changes(c, now.snap.key))
		return;
	f->version = hash_text(now.snap.version, c->mem);
	record_report_writer(c, now.snap.key, now.snap.version);
	/* ERR_OVERTAKEN: our own change is in between, a diff would mislead. */
	if (f->err != ERR_OVERTAKEN && c->seen.bytes.ptr &&
	    !textfile_show(c, c->seen.path, &before) &&
	    !textfile_show(c, c->seen.path, &now))
		f->changed = diff_since(c, before.shown.text, now.shown.text);
}
