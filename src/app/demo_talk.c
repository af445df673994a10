/*
 * demo_talk.c - the MCP client of `stet demo`: sends requests, prints messages.
 *
 * The server is this program, started on two pipes without the person's
 * settings or state.
 */
#include "app/demo.h"
#include "app/screen.h"

#include "base/fd.h"
#include "web/guard.h"
#include "web/running.h"
#include "web/tokens.h"

#include <fcntl.h>
#include <time.h>
#include <unistd.h>

void demo_paint(const struct demo *d, enum ink ink, struct str text)
{
	auto_screen s = screen_begin(SCREEN_TEXT);

	screen_text(&s, ink, text);
	(void)screen_end(&s);
}

void demo_rest(const struct demo *d)
{
	struct timespec pause = { 0, 350 * 1000 * 1000 };

	if (d->pauses)
		(void)nanosleep(&pause, NULL);
}

void demo_heading(const struct demo *d, const char *text)
{
	demo_rest(d);
	screen_say("\n");
	demo_paint(d, INK_BOLD, str_of(text));
	screen_say("\n");
}

void demo_show_lines(const struct demo *d, struct str text, bool diff)
{
	auto_screen spelled = { .colour = false },
		    s = screen_begin(SCREEN_TEXT);
	struct str line;

	spelled.colour = s.colour;
	if (diff)
		screen_diff(&spelled, text);
	else
		screen_text(&spelled, INK_DIM, text);
	text = buf_str(&spelled.out);
	if (str_ends(text, STR("\n")))
		text.len--;
	while (str_split(&text, '\n', &line)) {
		buf_lit(&s.out, "    ");
		buf_add(&s.out, line);
		buf_addc(&s.out, '\n');
	}
	(void)screen_end(&s);
}

/* Starts this program as the server, on two pipes. */
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
		/* without the person's settings, history or hooks */
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

/* Reads the next line from the server, without its line end. */
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

/* Sends a request and returns the parsed reply. */
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

/* Prints one argument on a line; the directory prefix is omitted. */
static void show_value(struct demo *d, struct str key, struct json value)
{
	struct str text;

	screen_say("       ");
	demo_paint(d, INK_DIM, arena_printf(&d->mem, "%-11.*s ", STR_ARG(key)));
	if (!str_is(key, "path") || !json_text(value, &d->mem, &text))
		text = json_raw(value);
	else if (str_starts(text, str_of(d->dir)))
		text = str_skip(text, strlen(d->dir) + 1);
	demo_paint(d, INK_PLAIN, text);
	screen_say("\n");
}

static void show_edits(struct demo *d, struct json edits)
{
	struct json_walk w = json_walk(edits);

	while (json_step(&w)) {
		demo_paint(d, INK_DIM, STR("       edit        "));
		demo_paint(d, INK_PLAIN,
			   json_raw(json_get(w.value, "old_string")));
		demo_paint(d, INK_DIM, STR("  to  "));
		demo_paint(d, INK_PLAIN,
			   json_raw(json_get(w.value, "new_string")));
		screen_say("\n");
	}
}

static void show_call(struct demo *d, const char *tool, struct str arguments)
{
	struct json_limits limits = { 0 };
	struct json_error error;
	struct json_walk w;
	struct json json;
	struct str key;

	demo_paint(d, INK_CYAN, STR("  -> "));
	screen_say("tools/call %s\n", tool);
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
		demo_paint(d, INK_RED, text);
		screen_say("\n");
		d->failed = true;
	}
}

/* A message with paths relative to the demo's directory. */
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

/* Fails the demo unless the reply is an error. */
void demo_expect_error(struct demo *d, struct json reply)
{
	struct json error = json_get(reply, "error");
	struct str text;
	int64_t code;

	if (!json_int(json_get(error, "code"), &code) ||
	    !json_text(json_get(error, "message"), &d->mem, &text)) {
		demo_paint(d, INK_RED,
			   STR("  expected an error and got none\n"));
		d->failed = true;
		return;
	}
	demo_paint(d, INK_CYAN, STR("  <- "));
	demo_paint(d, INK_YELLOW,
		   arena_printf(&d->mem, "error %lld: ", (long long)code));
	demo_paint(d, INK_YELLOW, without_dir(d, text));
	screen_say("\n");
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
