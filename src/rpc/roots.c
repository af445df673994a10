/*
 * roots.c - asks a client before 2026-07-28 for its roots (roots/list) and
 * hands the answer to server->take_roots.
 *
 * While the request is under way, calls wait up to WAIT_MS: call_queue.c looks at
 * link->roots. Loop thread only.
 */
#include "rpc/roots.h"

#include "base/clock.h"
#include "text/encoding/utf8.h"

enum { WAIT_MS = 3000 }; /* then the current directory is the root */

static struct str request_id(const struct link *l, struct arena *mem)
{
	return arena_printf(mem, "\"stet-roots-%u\"", l->roots_asked);
}

void roots_ask(struct job *job)
{
	struct link *l = job->link;
	auto_buf out = BUF_INIT;

	if (!l->has_roots || !job->server->take_roots || !l->peer)
		return;
	l->roots_asked++;
	l->roots = ROOTS_ASKED;
	l->roots_until = clock_ms() + WAIT_MS;
	buf_addf(&out, "{\"jsonrpc\":\"2.0\",\"id\":" STR_FMT,
		 STR_ARG(request_id(l, &job->mem)));
	buf_lit(&out, ",\"method\":\"roots/list\"}");
	l->peer->send(l->peer, buf_str(&out));
}

static bool percent_decode(struct str s, struct arena *mem, struct str *ret)
{
	char *to = arena_alloc(mem, s.len);
	size_t n = 0;

	for (size_t i = 0; i < s.len; i++) {
		int high, low;

		if (s.ptr[i] != '%') {
			to[n++] = s.ptr[i];
			continue;
		}
		if (i + 2 >= s.len)
			return false;
		high = hex_digit(s.ptr[i + 1]);
		low = hex_digit(s.ptr[i + 2]);
		if (high < 0 || low < 0 || (high | low) == 0)
			return false;
		to[n++] = (char)(high << 4 | low);
		i += 2;
	}
	*ret = str_make(to, n);
	return true;
}

bool roots_path(struct str uri, struct arena *mem, struct str *ret)
{
	static const struct str local[] = { STR_INIT("file:///"),
					    STR_INIT("file://localhost/") };

	for (size_t i = 0; i < COUNT_OF(local); i++)
		if (str_starts(uri, local[i]))
			return percent_decode(str_skip(uri, local[i].len - 1),
					      mem, ret);
	return false;
}

/* A URI in quotes, for the error message: no path begins with a quote. */
static struct str not_a_path(struct str uri, struct arena *mem)
{
	enum { LONGEST = 1024 };

	return arena_printf(mem, "\"" STR_FMT "\"",
			    STR_ARG(utf8_head(uri, LONGEST)));
}

void roots_answer(struct job *job)
{
	struct json roots = json_get(job->message.result, "roots");
	struct json_walk w = json_walk(roots);
	struct link *l = job->link;
	struct str *dirs, uri;
	size_t n = 0;

	if (l->roots != ROOTS_ASKED ||
	    !str_eq(job->message.id, request_id(l, &job->mem)))
		return;
	dirs = arena_array(&job->mem, struct str, json_count(roots));
	for (; json_step(&w); n++)
		if (!json_text(json_get(w.value, "uri"), &job->mem, &uri))
			dirs[n] = STR("(without a URI)");
		else if (!roots_path(uri, &job->mem, &dirs[n]))
			dirs[n] = not_a_path(uri, &job->mem);
	job->server->take_roots(job->server, dirs, n);
	l->roots = ROOTS_SETTLED;
}
