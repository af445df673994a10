/*
 * running.c - the list of running servers in server.json.
 *
 * Read and rewritten as a whole under the lock of the state directory. An entry
 * whose process has died is recognised by that process's lock, and dropped.
 */
#include "web/running.h"

#include "base/fd.h"
#include "base/json.h"
#include "store/process.h"
#include "web/state_file.h"

#include <errno.h>
#include <unistd.h>

#define NAME "server.json"

/*
 * The lock that proves that this process is alive; under state_file_dir_lock().
 */
static int held = -1;

static enum err running_lock(const struct state_file_dir *d, struct arena *mem,
			     struct fault *f)
{
	fd_drop(&held);
	held = process_hold(d->fd);
	if (held >= 0)
		return ERR_OK;
	return fail(f, ERR_BAD_CONFIG,
		    .text = arena_printf(mem, STR_FMT ": it cannot be locked",
					 STR_ARG(d->path)),
		    .os = errno);
}

/* An entry of the list, and the process that it names. */
struct running_entry {
	struct running at;
	struct process_id process;
};

struct running_entries {
	struct running_entry *items;
	size_t n;
};

/* Only a URL of the expected form is passed to a browser. */
static bool is_url(struct str url)
{
	for (size_t i = 0; i < url.len; i++)
		if (url.ptr[i] <= ' ' || url.ptr[i] > '~' ||
		    strchr("\"'`<>\\?#", url.ptr[i]))
			return false;
	return str_starts(url, STR("http://"));
}

static bool parse_entry(struct json v, struct arena *mem,
			struct running_entry *ret)
{
	struct running *at = &ret->at;
	int64_t slot = 0;

	*ret = (struct running_entry){ 0 };
	if (!json_int(json_get(v, "pid"), &ret->process.pid) ||
	    !json_text(json_get(v, "url"), mem, &at->url) ||
	    !json_text(json_get(v, "page"), mem, &at->page) ||
	    !is_url(at->url) || !is_url(at->page) ||
	    !json_text(json_get(v, "id"), mem, &at->id))
		return false;
	at->pid = ret->process.pid;
	/* An older stet does not say which directories it serves. */
	if (!json_text(json_get(v, "roots"), mem, &at->roots))
		at->roots = STR("");
	/* An older stet has no slot but, perhaps, the time of its start. */
	if (!json_int(json_get(v, "slot"), &slot))
		(void)!json_int(json_get(v, "started"), &slot);
	ret->process.slot = slot > 0 ? (uint64_t)slot : 0;
	return true;
}

/* A lone object is the one server of an older stet. */
static bool parse_entries(struct str text, struct arena *mem,
			  struct running_entries *ret)
{
	struct json_limits limits = { .max_depth = 3 };
	struct running_entry entry;
	struct json_error error;
	struct json_walk w;
	struct json v;

	*ret = (struct running_entries){ 0 };
	if (json_parse(text, &limits, mem, &v, &error))
		return false;
	if (json_is(v, JSON_OBJECT)) {
		if (!parse_entry(v, mem, &entry))
			return false;
		*arena_add(mem, ret->items, ret->n) = entry;
		return true;
	}
	if (!json_is(v, JSON_ARRAY))
		return false;
	for (w = json_walk(v); json_step(&w);) {
		if (!json_is(w.value, JSON_OBJECT) ||
		    !parse_entry(w.value, mem, &entry))
			return false;
		*arena_add(mem, ret->items, ret->n) = entry;
	}
	return ret->n > 0;
}

static void put_entry(struct json_out *o, const struct running_entry *e)
{
	json_open(o, '{');
	json_key(o, "pid");
	json_put_int(o, e->process.pid);
	json_key(o, "slot");
	json_put_int(o, (int64_t)e->process.slot);
	json_text_member(o, "url", e->at.url);
	json_text_member(o, "page", e->at.page);
	json_text_member(o, "id", e->at.id);
	json_text_member(o, "roots", e->at.roots);
	json_close(o, '}');
}

/* All but those of this process; and then @self, if any. */
static enum err write_entries(const struct state_file_dir *d,
			      const struct running_entries *all,
			      const struct running_entry *self,
			      struct arena *mem, struct fault *f)
{
	auto_buf out = BUF_INIT;
	struct json_out o = json_out(&out);
	size_t n = self ? 1 : 0;

	json_open(&o, '[');
	for (size_t i = 0; i < all->n; i++)
		if (all->items[i].process.slot != process_self().slot) {
			put_entry(&o, &all->items[i]);
			n++;
		}
	if (self)
		put_entry(&o, self);
	json_close(&o, ']');
	buf_lit(&out, "\n");
	if (!n)
		return unlinkat(d->fd, NAME, 0) ? ERR_NOT_FOUND : ERR_OK;
	return state_file_write(d, NAME, buf_str(&out), /* durable= */ false,
				mem, f);
}

static void drop_dead(const struct state_file_dir *d,
		      struct running_entries *all)
{
	size_t n = 0;

	for (size_t i = 0; i < all->n; i++)
		if (process_is_there(d->fd, all->items[i].process))
			all->items[n++] = all->items[i];
	all->n = n;
}

enum err running_write(struct str dir, const struct running *self,
		       struct arena *mem, struct fault *f)
{
	const struct running_entry entry = { *self, process_self() };
	struct running_entries all = { 0 };
	auto_state_file_dir d = STATE_FILE_DIR_INIT;
	struct fault ignored;
	auto_fd lock = -1;
	struct str text;
	enum err e;

	e = state_file_dir_open(dir, /* make= */ true, &d, mem, f);
	if (!e)
		e = state_file_dir_lock(&d, &lock, mem, f);
	if (e)
		return e;
	/* An unreadable list is replaced. */
	if (!state_file_read(&d, NAME, mem, &text, NULL, &ignored) &&
	    !parse_entries(text, mem, &all))
		all = (struct running_entries){ 0 };
	drop_dead(&d, &all);
	e = running_lock(&d, mem, f);
	return e ? e : write_entries(&d, &all, &entry, mem, f);
}

static enum err not_running(struct str why, struct fault *f)
{
	return fail(f, ERR_NOT_FOUND, .path = STR(NAME), .hint = why);
}

static enum err read_entries(struct str dir, struct state_file_dir *d,
			     struct arena *mem, struct running_entries *ret,
			     struct fault *f)
{
	struct str text;
	enum err e = state_file_dir_open(dir, /* make= */ false, d, mem, f);

	if (!e)
		e = state_file_read(d, NAME, mem, &text, NULL, f);
	if (e == ERR_NOT_FOUND)
		return not_running(STR("No server is running: start one with "
				       "'stet serve --http 127.0.0.1:7717 "
				       "DIR'."),
				   f);
	if (e)
		return e;
	if (!parse_entries(text, mem, ret))
		return fail(f, ERR_BAD_CONFIG,
			    .text = arena_printf(
				    mem,
				    STR_FMT
				    "/" NAME
				    ": it is not in the expected format",
				    STR_ARG(d->path)));
	return ERR_OK;
}

enum err running_list(struct str dir, struct arena *mem, struct running **ret,
		      size_t *ret_n, struct fault *f)
{
	auto_state_file_dir d = STATE_FILE_DIR_INIT;
	struct running_entries all = { 0 };
	struct running last = { 0 };
	enum err e = read_entries(dir, &d, mem, &all, f);

	if (e)
		return e;
	if (all.n)
		last = all.items[all.n - 1].at;
	drop_dead(&d, &all);
	if (!all.n)
		return not_running(
			arena_printf(
				mem,
				"The server that was at " STR_FMT
				" (process %lld) has crashed or was killed: start it again.",
				STR_ARG(last.url), (long long)last.pid),
			f);
	*ret = arena_array(mem, struct running, all.n);
	for (size_t i = 0; i < all.n; i++)
		(*ret)[i] = all.items[i].at;
	*ret_n = all.n;
	return ERR_OK;
}

enum err running_read(struct str dir, struct arena *mem, struct running *ret,
		      struct fault *f)
{
	struct running *list = NULL;
	size_t n = 0;
	enum err e = running_list(dir, mem, &list, &n, f);

	if (!e && list)
		*ret = list[n - 1];
	return e;
}

void running_remove(struct str dir)
{
	auto_arena mem = ARENA_INIT;
	auto_state_file_dir d = STATE_FILE_DIR_INIT;
	struct running_entries all;
	bool is_listed = false;
	auto_fd lock = -1;
	struct str text;

	if (state_file_dir_open(dir, /* make= */ false, &d, &mem, NULL) ||
	    state_file_dir_lock(&d, &lock, &mem, NULL) ||
	    state_file_read(&d, NAME, &mem, &text, NULL, NULL) ||
	    !parse_entries(text, &mem, &all))
		return;
	for (size_t i = 0; i < all.n; i++)
		is_listed |= all.items[i].process.slot == process_self().slot;
	if (is_listed)
		(void)!write_entries(&d, &all, NULL, &mem, NULL);
	fd_drop(&held);
}
