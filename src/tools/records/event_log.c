/*
 * event_log.c - the local event log: what changes did in numbers, and counters
 * of calls.
 *
 * An event sink. Counters are atomic; never the text of a file.
 */
#include "tools/records/event_log.h"

#include "base/clock.h"
#include "text/diff/common_prefix.h"
#include "text/diff/diff.h"
#include "text/lines/lines.h"

enum {
	MOST_HUNKS = 100,
	MOST_COMPARED =
		1024 * 1024, /* bytes, where numbers are all it is for */
};

static void event_number(struct json_out *o, const char *key, uint64_t n)
{
	json_key(o, key);
	json_put_int(o, (int64_t)n);
}

static struct json_out event_begin(struct buf *line, const char *event)
{
	struct json_out o = json_out(line);
	char stamp[CLOCK_STAMP];

	clock_stamp(stamp);
	json_open(&o, '{');
	json_text_member(&o, "time", str_of(stamp));
	json_text_member(&o, "event", str_of(event));
	return o;
}

static void event_finish(struct event_log *w, struct json_out *o)
{
	json_close(o, '}');
	linefile_add(&w->file, o->buf);
}

static void count_change(struct event_log *w, const struct change *change,
			 uint64_t added, uint64_t removed)
{
	atomic_fetch_add(change->remove   ? &w->removed
			 : change->before ? &w->updated
					  : &w->created,
			 1);
	atomic_fetch_add(&w->lines_added, added);
	atomic_fetch_add(&w->lines_removed, removed);
}

/* Positions and line counts only, never content. */
static void put_hunks(struct json_out *o, const struct diff *d)
{
	json_key(o, "hunks");
	json_open(o, '[');
	for (size_t i = 0; i < d->count && i < MOST_HUNKS; i++) {
		json_open(o, '{');
		event_number(o, "old_start", d->changes[i].a + 1);
		event_number(o, "old_lines", d->changes[i].a_count);
		event_number(o, "new_start", d->changes[i].b + 1);
		event_number(o, "new_lines", d->changes[i].b_count);
		json_close(o, '}');
	}
	json_close(o, ']');
}

/* The size of a change in lines. */
struct change_size {
	struct diff diff;
	uint64_t added, removed;
};

static bool starts_line(struct str text, size_t at)
{
	return !at || text.ptr[at - 1] == '\n';
}

/* Without a diff: all lines between the common start and end. */
static void measure_roughly(struct str a, struct str b, struct change_size *p)
{
	size_t head = common_prefix(a, b), tail;

	while (!starts_line(a, head))
		head--;
	a = str_skip(a, head);
	b = str_skip(b, head);
	tail = common_suffix(a, b);
	while (tail &&
	       !(starts_line(a, a.len - tail) && starts_line(b, b.len - tail)))
		tail--;
	p->removed = lines_count(str_head(a, a.len - tail));
	p->added = lines_count(str_head(b, b.len - tail));
}

static void measure_change(struct call *c, const struct change *change,
			   struct change_size *p)
{
	if (change->before && !change->remove &&
	    c->options->event_log->silent && change->after.len > MOST_COMPARED)
		measure_roughly(change->before->bytes, change->after, p);
	else if (change->before && !change->remove)
		diff_texts(change->before->bytes, change->after, c->mem,
			   &p->diff);
	else if (change->before)
		p->removed = lines_count(change->before->bytes);
	else
		p->added = lines_count(change->after);
	for (size_t i = 0; i < p->diff.count; i++) {
		p->added += p->diff.changes[i].b_count;
		p->removed += p->diff.changes[i].a_count;
	}
}

static void tell_patch(struct call *c, const struct change *change,
		       struct str path, const struct change_size *p)
{
	auto_buf line = BUF_INIT;
	struct json_out o = event_begin(&line, "track_patch");

	json_text_member(&o, "tool", str_of(c->tool->name));
	json_text_member(&o, "path", path);
	json_text_member(&o, "kind",
			 change->remove   ? STR("remove")
			 : change->before ? STR("update")
					  : STR("create"));
	event_number(&o, "added", p->added);
	event_number(&o, "removed", p->removed);
	event_number(&o, "bytes", change->remove ? 0 : change->after.len);
	put_hunks(&o, &p->diff);
	event_finish(c->options->event_log, &o);
}

static void tell_claudemd(struct call *c, struct str path)
{
	auto_buf line = BUF_INIT;
	struct json_out o;

	if (strcmp(c->tool->name, "Write") != 0 ||
	    !str_ends(path, STR("/CLAUDE.md")))
		return;
	o = event_begin(&line, "tengu_write_claudemd");
	json_text_member(&o, "tool", str_of(c->tool->name));
	json_text_member(&o, "path", path);
	event_finish(c->options->event_log, &o);
}

void event_log_change(struct call *c, const struct change *change,
		      const struct changed *changed)
{
	struct event_log *w = c->options->event_log;
	struct str path = changed->stored.key;
	struct change_size patch = { .added = 0 };

	if (!w)
		return;
	measure_change(c, change, &patch);
	count_change(w, change, patch.added, patch.removed);
	if (w->silent)
		return;
	if (!path.len)
		path = change->path;
	tell_patch(c, change, path, &patch);
	tell_claudemd(c, path);
}

void event_log_add(struct call *c, const struct change *change,
		   struct event_log_sum *sum)
{
	struct event_log *w = c->options->event_log;
	struct change_size patch = { .added = 0 };

	if (!w)
		return;
	measure_change(c, change, &patch);
	count_change(w, change, patch.added, patch.removed);
	sum->added += patch.added;
	sum->removed += patch.removed;
	sum->bytes += change->remove ? 0 : change->after.len;
}

void event_log_group(struct call *c, const struct event_log_sum *sum)
{
	struct event_log *w = c->options->event_log;
	auto_buf line = BUF_INIT;
	struct json_out o;

	if (!w || w->silent)
		return;
	o = event_begin(&line, "track_patch");
	json_text_member(&o, "tool", str_of(c->tool->name));
	json_text_member(&o, "kind", STR("group"));
	event_number(&o, "files", c->files);
	event_number(&o, "added", sum->added);
	event_number(&o, "removed", sum->removed);
	event_number(&o, "bytes", sum->bytes);
	event_finish(w, &o);
}

static void event_log_begin(struct event_sink *sink, const struct tool_event *e)
{
	atomic_fetch_add(&((struct event_log *)sink)->calls, 1);
}

static void event_log_end(struct event_sink *sink, const struct tool_event *e)
{
	if (e->fault)
		atomic_fetch_add(&((struct event_log *)sink)->failed, 1);
}

static void event_log_close(struct event_sink *sink)
{
	struct event_log *w = (struct event_log *)sink;
	auto_buf line = BUF_INIT;
	struct json_out o = event_begin(&line, "counters");

	event_number(&o, "calls", w->calls);
	event_number(&o, "failed", w->failed);
	event_number(&o, "created", w->created);
	event_number(&o, "updated", w->updated);
	event_number(&o, "removed", w->removed);
	event_number(&o, "lines_added", w->lines_added);
	event_number(&o, "lines_removed", w->lines_removed);
	event_finish(w, &o);
	linefile_close(&w->file);
}

int event_log_open(struct event_log *w, const char *path)
{
	*w = (struct event_log){ .sink = { event_log_begin, event_log_end,
					   event_log_close } };
	return linefile_open(&w->file, path);
}

void event_log_count_only(struct event_log *w)
{
	*w = (struct event_log){
		.sink = { event_log_begin, event_log_end, NULL }, .silent = true
	};
}
