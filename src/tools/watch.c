#include "tools/watch.h"

#include "base/clock.h"
#include "text/common.h"
#include "text/diff.h"
#include "text/lines.h"

enum {
	MOST_HUNKS = 100,
	MOST_COMPARED =
		1024 * 1024, /* bytes, where numbers are all it is for */
};

static void put(struct json_out *o, const char *key, struct str text)
{
	json_key(o, key);
	json_put_str(o, text);
}

static void put_number(struct json_out *o, const char *key, uint64_t n)
{
	json_key(o, key);
	json_put_int(o, (int64_t)n);
}

static struct json_out begin(struct buf *line, const char *event)
{
	struct json_out o = json_out(line);
	char stamp[CLOCK_STAMP];

	clock_stamp(stamp);
	json_open(&o, '{');
	put(&o, "time", str_of(stamp));
	put(&o, "event", str_of(event));
	return o;
}

static void finish(struct watch *w, struct json_out *o)
{
	json_close(o, '}');
	linefile_add(&w->file, o->buf);
}

static void count(struct watch *w, const struct change *change, uint64_t added,
		  uint64_t removed)
{
	atomic_fetch_add(change->remove   ? &w->removed
			 : change->before ? &w->updated
					  : &w->created,
			 1);
	atomic_fetch_add(&w->lines_added, added);
	atomic_fetch_add(&w->lines_removed, removed);
}

/* Where, and how many lines; what they hold is nobody's business. */
static void put_hunks(struct json_out *o, const struct diff *d)
{
	json_key(o, "hunks");
	json_open(o, '[');
	for (size_t i = 0; i < d->count && i < MOST_HUNKS; i++) {
		json_open(o, '{');
		put_number(o, "old_start", d->changes[i].a + 1);
		put_number(o, "old_lines", d->changes[i].a_count);
		put_number(o, "new_start", d->changes[i].b + 1);
		put_number(o, "new_lines", d->changes[i].b_count);
		json_close(o, '}');
	}
	json_close(o, ']');
}

/* What a change did, in numbers. */
struct measured {
	struct diff diff;
	uint64_t added, removed;
};

static bool starts_line(struct str text, size_t at)
{
	return !at || text.ptr[at - 1] == '\n';
}

/* The lines between those that both have at their ends: all of one edit. */
static void measure_roughly(struct str a, struct str b, struct measured *p)
{
	size_t head = common_head(a, b), tail;

	while (!starts_line(a, head))
		head--;
	a = str_skip(a, head);
	b = str_skip(b, head);
	tail = common_tail(a, b);
	while (tail &&
	       !(starts_line(a, a.len - tail) && starts_line(b, b.len - tail)))
		tail--;
	p->removed = lines_count(str_head(a, a.len - tail));
	p->added = lines_count(str_head(b, b.len - tail));
}

static void measure(struct call *c, const struct change *change,
		    struct measured *p)
{
	if (change->before && !change->remove && c->options->watch->silent &&
	    change->after.len > MOST_COMPARED)
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
		       struct str path, const struct measured *p)
{
	auto_buf line = BUF_INIT;
	struct json_out o = begin(&line, "track_patch");

	put(&o, "tool", str_of(c->tool->name));
	put(&o, "path", path);
	put(&o, "kind",
	    change->remove   ? STR("remove")
	    : change->before ? STR("update")
			     : STR("create"));
	put_number(&o, "added", p->added);
	put_number(&o, "removed", p->removed);
	put_number(&o, "bytes", change->remove ? 0 : change->after.len);
	put_hunks(&o, &p->diff);
	finish(c->options->watch, &o);
}

void watch_change(struct call *c, const struct change *change,
		  const struct changed *changed)
{
	struct watch *w = c->options->watch;
	struct str path = changed->stored.key;
	struct measured patch = { .added = 0 };
	auto_buf line = BUF_INIT;
	struct json_out o;

	if (!w)
		return;
	measure(c, change, &patch);
	count(w, change, patch.added, patch.removed);
	if (w->silent)
		return;
	if (!path.len)
		path = change->path;
	tell_patch(c, change, path, &patch);
	if (strcmp(c->tool->name, "Write") != 0 ||
	    !str_ends(path, STR("/CLAUDE.md")))
		return;
	o = begin(&line, "tengu_write_claudemd");
	put(&o, "tool", str_of(c->tool->name));
	put(&o, "path", path);
	finish(w, &o);
}

static void on_begin(struct event_sink *sink, const struct tool_event *e)
{
	atomic_fetch_add(&((struct watch *)sink)->calls, 1);
}

static void on_end(struct event_sink *sink, const struct tool_event *e)
{
	if (e->fault)
		atomic_fetch_add(&((struct watch *)sink)->failed, 1);
}

static void on_close(struct event_sink *sink)
{
	struct watch *w = (struct watch *)sink;
	auto_buf line = BUF_INIT;
	struct json_out o = begin(&line, "counters");

	put_number(&o, "calls", w->calls);
	put_number(&o, "failed", w->failed);
	put_number(&o, "created", w->created);
	put_number(&o, "updated", w->updated);
	put_number(&o, "removed", w->removed);
	put_number(&o, "lines_added", w->lines_added);
	put_number(&o, "lines_removed", w->lines_removed);
	finish(w, &o);
	linefile_close(&w->file);
}

int watch_open(struct watch *w, const char *path)
{
	*w = (struct watch){ .sink = { on_begin, on_end, on_close } };
	return linefile_open(&w->file, path);
}

void watch_quietly(struct watch *w)
{
	*w = (struct watch){ .sink = { on_begin, on_end, NULL },
			     .silent = true };
}
