#include "tools/changes.h"

#include "text/unified.h"
#include "text/utf8.h"
#include "tools/gate.h"
#include "tools/record.h"
#include "tools/textfile.h"

static const struct str cut = STR_INIT("...\n");

/* Whole lines while there is room, or else the start of the first ones. */
static struct str shorten(struct str diff, struct arena *mem)
{
	struct str head;
	size_t end;

	if (diff.len <= CHANGES_MOST)
		return arena_copy(mem, diff);
	head = utf8_head(diff, CHANGES_MOST - cut.len - 1);
	end = str_rfind(head, '\n');
	if (end > head.len / 2 && end < head.len)
		head = str_head(head, end);
	return arena_printf(mem, STR_FMT "\n" STR_FMT, STR_ARG(head),
			    STR_ARG(cut));
}

static struct str name_of(struct str path)
{
	size_t slash = str_rfind(path, '/');

	return slash == path.len ? path : str_skip(path, slash + 1);
}

static struct str compare(struct call *c, struct str before, struct str after)
{
	auto_buf out = BUF_INIT;
	struct diff diff;

	diff_texts(before, after, c->mem, &diff);
	unified_print(&diff, name_of(c->seen.path), /* context= */ 0, &out);
	return shorten(buf_str(&out), c->mem);
}

bool changes_are_why(enum err e)
{
	return e == ERR_CHANGED || e == ERR_OVERTAKEN || e == ERR_STALE ||
	       e == ERR_SURPRISED;
}

/* Is that the file that was judged? Else nothing is told of it. */
static bool may_tell(struct call *c, struct str key)
{
	if (c->seen.key.len)
		return str_eq(key, c->seen.key);
	return !gate_hides(c, c->seen.path, key);
}

void changes_tell(struct call *c)
{
	struct fault *f = c->fault, ignored = { 0 };
	struct textfile before = { .snap.bytes = c->seen.bytes }, now = { 0 };

	if (!c->seen.path.len ||
	    ws_load(c->ws, c->seen.path, c->options->max_file, &c->errand,
		    c->mem, &now.snap, &ignored) ||
	    !may_tell(c, now.snap.key))
		return;
	f->version = hash_text(now.snap.version, c->mem);
	record_tell_writer(c, now.snap.key, now.snap.version);
	/* After our own change only the file itself can tell. */
	if (f->err != ERR_OVERTAKEN && c->seen.bytes.ptr &&
	    !textfile_show(c, c->seen.path, &before) &&
	    !textfile_show(c, c->seen.path, &now))
		f->changed = compare(c, before.shown.text, now.shown.text);
}
