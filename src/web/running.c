/* server.json: written whole under the lock, believed only while its process lives. */

#include "web/running.h"

#include "base/fd.h"
#include "base/json.h"
#include "store/process.h"
#include "web/statefile.h"

#include <errno.h>
#include <unistd.h>

#define NAME "server.json"

/* The lock that shows that this process is there; under statedir_lock(). */
static int held = -1;

static enum err hold(const struct statedir *d, struct arena *mem,
		     struct fault *f)
{
	fd_drop(&held);
	held = process_hold(d->fd);
	if (held >= 0)
		return ERR_OK;
	return fail(f, ERR_BAD_CONFIG,
		    .text = arena_printf(mem, STR_FMT ": no lock can be taken",
					 STR_ARG(d->path)),
		    .os = errno);
}

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
	json_key(&o, "slot");
	json_put_int(&o, (int64_t)process.slot);
	json_text_member(&o, "url", self->url);
	json_text_member(&o, "page", self->page);
	json_text_member(&o, "id", self->id);
	json_close(&o, '}');
	buf_lit(&out, "\n");
	e = statedir_open(dir, /* make= */ true, &d, mem, f);
	if (!e)
		e = statedir_lock(&d, &lock, mem, f);
	if (!e)
		e = hold(&d, mem, f);
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
	int64_t slot = 0;
	struct json v;

	if (json_parse(text, &limits, mem, &v, &error) ||
	    !json_int(json_get(v, "pid"), &ret->pid) ||
	    !json_text(json_get(v, "url"), mem, &ret_at->url) ||
	    !json_text(json_get(v, "page"), mem, &ret_at->page) ||
	    !is_url(ret_at->url) || !is_url(ret_at->page) ||
	    !json_text(json_get(v, "id"), mem, &ret_at->id))
		return false;
	ret_at->pid = ret->pid;
	/* neither is there: its pid alone must do */
	if (!json_int(json_get(v, "slot"), &slot))
		(void)!json_int(json_get(v, "started"), &slot);
	ret->slot = slot > 0 ? (uint64_t)slot : 0;
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
	if (!process_is_there(d.fd, process))
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
	    !parse(text, &mem, &process, &at) ||
	    process.slot != process_self().slot)
		return;
	(void)unlinkat(d.fd, NAME, 0);
	fd_drop(&held);
}
