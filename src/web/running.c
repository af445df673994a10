/* server.json: written whole under the lock, believed only while its process lives. */

#include "web/running.h"

#include "base/fd.h"
#include "base/json.h"
#include "store/process.h"
#include "web/statefile.h"

#include <unistd.h>

#define NAME "server.json"

enum err running_write(struct str dir, const struct running *self,
		       struct arena *mem, struct fault *f)
{
	const struct process process = process_self();
	auto_statedir d = STATEDIR_INIT;
	auto_buf out = BUF_INIT;
	struct json_out o = json_out(&out);
	auto_fd lock = -1;
	enum err e;

	json_open(&o, '{');
	json_key(&o, "pid");
	json_put_int(&o, process.pid);
	json_key(&o, "started");
	json_put_int(&o, (int64_t)process.started);
	json_text_member(&o, "url", self->url);
	json_text_member(&o, "page", self->page);
	json_text_member(&o, "id", self->id);
	json_close(&o, '}');
	buf_lit(&out, "\n");
	e = statedir_open(dir, /* make= */ true, &d, mem, f);
	if (!e)
		e = statedir_lock(&d, &lock, mem, f);
	if (!e)
		e = statefile_write(&d, NAME, buf_str(&out),
				    /* durable= */ false, mem, f);
	return e;
}

/* Only an address of our own making is handed to a browser. */
static bool is_url(struct str url)
{
	for (size_t i = 0; i < url.len; i++)
		if (url.ptr[i] <= ' ' || url.ptr[i] > '~' ||
		    strchr("\"'`<>\\?#", url.ptr[i]))
			return false;
	return str_starts(url, STR("http://"));
}

static bool parse(struct str text, struct arena *mem, struct process *ret,
		  struct running *ret_at)
{
	struct json_limits limits = { .max_depth = 2 };
	struct json_error error;
	int64_t started = 0;
	struct json v;

	if (json_parse(text, &limits, mem, &v, &error) ||
	    !json_int(json_get(v, "pid"), &ret->pid) ||
	    !json_text(json_get(v, "url"), mem, &ret_at->url) ||
	    !json_text(json_get(v, "page"), mem, &ret_at->page) ||
	    !is_url(ret_at->url) || !is_url(ret_at->page) ||
	    !json_text(json_get(v, "id"), mem, &ret_at->id))
		return false;
	ret_at->pid = ret->pid;
	/* not there: its number alone must do */
	if (json_int(json_get(v, "started"), &started) && started > 0)
		ret->started = (uint64_t)started;
	return true;
}

static enum err not_running(struct str why, struct fault *f)
{
	return fail(f, ERR_NOT_FOUND, .path = STR(NAME), .hint = why);
}

enum err running_read(struct str dir, struct arena *mem, struct running *ret,
		      struct fault *f)
{
	auto_statedir d = STATEDIR_INIT;
	struct process process = { 0 };
	struct running at;
	struct str text;
	enum err e = statedir_open(dir, /* make= */ false, &d, mem, f);

	if (!e)
		e = statefile_read(&d, NAME, mem, &text, NULL, f);
	if (e == ERR_NOT_FOUND)
		return not_running(STR("No server is running: start one with "
				       "'stet serve --http 127.0.0.1:7717 "
				       "DIR'."),
				   f);
	if (e)
		return e;
	if (!parse(text, mem, &process, &at))
		return fail(f, ERR_BAD_CONFIG,
			    .text = arena_printf(mem,
						 STR_FMT
						 "/" NAME
						 ": it is not as the server "
						 "writes it",
						 STR_ARG(d.path)));
	if (!process_is_there(process))
		return not_running(
			arena_printf(mem,
				     "The server that was at " STR_FMT
				     " (process %lld) has ended without saying "
				     "so: start it again.",
				     STR_ARG(at.url), (long long)process.pid),
			f);
	*ret = at;
	return ERR_OK;
}

void running_remove(struct str dir)
{
	auto_arena mem = ARENA_INIT;
	auto_statedir d = STATEDIR_INIT;
	struct process process = { 0 };
	struct running at;
	struct str text;
	auto_fd lock = -1;

	if (statedir_open(dir, /* make= */ false, &d, &mem, NULL) ||
	    statedir_lock(&d, &lock, &mem, NULL) ||
	    statefile_read(&d, NAME, &mem, &text, NULL, NULL) ||
	    !parse(text, &mem, &process, &at) || process.pid != getpid())
		return;
	(void)unlinkat(d.fd, NAME, 0);
}
