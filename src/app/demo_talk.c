/* demo_talk.c - how `stet demo` talks to its server, and shows that. */

#include "app/demo.h"

#include "base/fd.h"
#include "web/guard.h"
#include "web/running.h"
#include "web/tokens.h"

#include <fcntl.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

void demo_paint(const struct demo *d, enum paint p, struct str text)
{
	static const char *const codes[] = {
		[PLAIN] = "0",  [BOLD] = "1",  [DIM] = "2",     [RED] = "31",
		[GREEN] = "32", [CYAN] = "36", [YELLOW] = "33",
	};

	if (d->colour && p != PLAIN)
		(void)printf("\033[%sm" STR_FMT "\033[0m", codes[p],
			     STR_ARG(text));
	else
		(void)printf(STR_FMT, STR_ARG(text));
}

void demo_rest(const struct demo *d)
{
	struct timespec pause = { 0, 350 * 1000 * 1000 };

	(void)fflush(stdout);
	if (d->pauses)
		(void)nanosleep(&pause, NULL);
}

void demo_heading(const struct demo *d, const char *text)
{
	demo_rest(d);
	(void)printf("\n");
	demo_paint(d, BOLD, str_of(text));
	(void)printf("\n");
}

static enum paint diff_paint(struct str line)
{
	if (str_starts(line, STR("+++")) || str_starts(line, STR("---")))
		return BOLD;
	if (str_starts(line, STR("@@")))
		return CYAN;
	if (str_starts(line, STR("+")))
		return GREEN;
	return str_starts(line, STR("-")) ? RED : PLAIN;
}

void demo_show_lines(const struct demo *d, struct str text, bool diff)
{
	struct str line;

	if (str_ends(text, STR("\n")))
		text.len--;
	while (str_split(&text, '\n', &line)) {
		(void)printf("    ");
		demo_paint(d, diff ? diff_paint(line) : DIM, line);
		(void)printf("\n");
	}
}

/* The server: our own program, on two pipes. */
bool demo_start_server(struct demo *d)
{
	int in[2], out[2];

	if (pipe2(in, O_CLOEXEC) || pipe2(out, O_CLOEXEC))
		return false;
	d->server = fork();
	if (d->server == 0) {
		(void)dup2(in[0], STDIN_FILENO);
		(void)dup2(out[1], STDOUT_FILENO);
		(void)dup2(open("/dev/null", O_WRONLY), STDERR_FILENO);
		/* Nothing of the person's own comes into it, or stays. */
		(void)execl("/proc/self/exe", "stet", "serve", "--no-config",
			    "--http", "127.0.0.1:0", "--stdio",
			    "--approval-wait", "0", "--state-dir", d->state,
			    d->dir, (char *)NULL);
		_exit(127);
	}
	(void)close(in[0]);
	(void)close(out[1]);
	d->to = in[1];
	d->from = out[0];
	return d->server > 0;
}

bool demo_send_line(struct demo *d, struct str message)
{
	return !fd_write(d->to, message) && !fd_write(d->to, STR("\n"));
}

/* The next line from the server, without its end. */
static bool get_line(struct demo *d, struct str *ret)
{
	ssize_t got;
	size_t end;
	char *to;

	buf_clear(&d->line, SIZE_MAX);
	for (;;) {
		end = str_find(buf_str(&d->line), '\n');
		if (end < d->line.len)
			break;
		to = buf_room(&d->line, 4096);
		got = fd_read(d->from, to, 4096);
		if (got <= 0)
			return false;
		d->line.len += (size_t)got;
	}
	*ret = str_head(buf_str(&d->line), end);
	return true;
}

/* Send a request and give back the reply as parsed. */
struct json demo_ask(struct demo *d, const char *method, struct str params)
{
	struct json_limits limits = { 0 };
	struct json_error error;
	struct json reply = { 0 };
	auto_buf out = BUF_INIT;
	struct str line;

	buf_addf(&out,
		 "{\"jsonrpc\":\"2.0\",\"id\":%d,\"method\":\"%s\",\"params\":",
		 ++d->id, method);
	buf_add(&out, params);
	buf_lit(&out, "}");
	demo_rest(d);
	if (!demo_send_line(d, buf_str(&out)) || !get_line(d, &line) ||
	    json_parse(arena_copy(&d->mem, line), &limits, &d->mem, &reply,
		       &error))
		d->failed = true;
	return reply;
}

/* An argument on a line of its own; the directory goes without saying. */
static void show_value(struct demo *d, struct str key, struct json value)
{
	struct str text;

	(void)printf("       ");
	demo_paint(d, DIM, arena_printf(&d->mem, "%-11.*s ", STR_ARG(key)));
	if (!str_is(key, "path") || !json_text(value, &d->mem, &text))
		text = json_raw(value);
	else if (str_starts(text, str_of(d->dir)))
		text = str_skip(text, strlen(d->dir) + 1);
	demo_paint(d, PLAIN, text);
	(void)printf("\n");
}

static void show_edits(struct demo *d, struct json edits)
{
	struct json_walk w = json_walk(edits);

	while (json_step(&w)) {
		demo_paint(d, DIM, STR("       edit        "));
		demo_paint(d, PLAIN, json_raw(json_get(w.value, "old_string")));
		demo_paint(d, DIM, STR("  to  "));
		demo_paint(d, PLAIN, json_raw(json_get(w.value, "new_string")));
		(void)printf("\n");
	}
}

static void show_call(struct demo *d, const char *tool, struct str arguments)
{
	struct json_limits limits = { 0 };
	struct json_error error;
	struct json_walk w;
	struct json json;
	struct str key;

	demo_paint(d, CYAN, STR("  -> "));
	(void)printf("tools/call %s\n", tool);
	if (json_parse(arguments, &limits, &d->mem, &json, &error))
		return;
	for (w = json_walk(json); json_step(&w);) {
		if (json_is(w.value, JSON_ARRAY))
			show_edits(d, w.value);
		else if (json_text(w.key, &d->mem, &key))
			show_value(d, key, w.value);
	}
}

struct json demo_call(struct demo *d, const char *tool, const char *format, ...)
{
	struct str arguments;
	va_list args;

	va_start(args, format);
	arguments = arena_vprintf(&d->mem, format, args);
	va_end(args);
	show_call(d, tool, arguments);
	return demo_ask(d, "tools/call",
			arena_printf(&d->mem,
				     "{\"name\":\"%s\",\"arguments\":" STR_FMT
				     "}",
				     tool, STR_ARG(arguments)));
}

struct json demo_payload(struct json reply)
{
	return json_get(json_get(reply, "result"), "structuredContent");
}

void demo_expect_ok(struct demo *d, struct json reply)
{
	struct str text;

	if (json_text(json_get(json_get(reply, "error"), "message"), &d->mem,
		      &text)) {
		demo_paint(d, RED, text);
		(void)printf("\n");
		d->failed = true;
	}
}

/* A message as it reads when one stands in the directory. */
static struct str without_dir(struct demo *d, struct str text)
{
	struct str dir = str_of(d->dir);
	size_t at = 0;

	while (at < text.len && !str_starts(str_skip(text, at), dir))
		at++;
	if (at == text.len)
		return text;
	return arena_printf(&d->mem, STR_FMT STR_FMT,
			    STR_ARG(str_head(text, at)),
			    STR_ARG(str_skip(text, at + dir.len + 1)));
}

/* The reply must be an error: that is the point being made. */
void demo_expect_error(struct demo *d, struct json reply)
{
	struct json error = json_get(reply, "error");
	struct str text;
	int64_t code;

	if (!json_int(json_get(error, "code"), &code) ||
	    !json_text(json_get(error, "message"), &d->mem, &text)) {
		demo_paint(d, RED, STR("  expected an error and got none\n"));
		d->failed = true;
		return;
	}
	demo_paint(d, CYAN, STR("  <- "));
	demo_paint(d, YELLOW,
		   arena_printf(&d->mem, "error %lld: ", (long long)code));
	demo_paint(d, YELLOW, without_dir(d, text));
	(void)printf("\n");
}

void demo_show_diff(struct demo *d, struct json reply)
{
	struct str diff;

	demo_expect_ok(d, reply);
	if (json_text(json_get(demo_payload(reply), "diff"), &d->mem, &diff))
		demo_show_lines(d, diff, true);
}

struct str demo_link(struct demo *d)
{
	struct tokens_options want = { .dir = str_of(d->state) };
	struct tokens *tokens;
	struct running at;
	struct fault f;
	struct str link;

	if (running_read(want.dir, &d->mem, &at, &f))
		return STR("");
	tokens = tokens_open(&want, &d->mem, &f);
	if (!tokens)
		return STR("");
	link = arena_printf(&d->mem, STR_FMT STR_FMT, STR_ARG(at.page),
			    STR_ARG(guard_link(tokens_owner(tokens), at.id,
					       &d->mem)));
	tokens_free(tokens);
	return link;
}
