/*
 * stet demo - a real session over a pipe, to watch.
 *
 * Starts this very program as a server on a temporary directory, talks MCP
 * to it, and shows what goes over the wire and what happens on disk.
 */

#include "app/command.h"
#include "app/pretty.h"
#include "base/fd.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

struct demo_config {
	bool help, fast;
};

static const struct option options[] = {
	{ "fast", NULL, OPTION_FLAG, offsetof(struct demo_config, fast),
	  "Without the pauses for reading" },
	OPTION_HELP,
	OPTIONS_END,
};

enum paint { PLAIN, BOLD, DIM, RED, GREEN, CYAN, YELLOW };

struct demo {
	char dir[64], state[64];
	pid_t server;
	int to, from;
	struct buf line;
	struct arena mem;
	int id;
	bool colour, pauses, failed;
};

static void paint(const struct demo *d, enum paint p, struct str text)
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

static void rest(const struct demo *d)
{
	struct timespec pause = { 0, 350 * 1000 * 1000 };

	(void)fflush(stdout);
	if (d->pauses)
		(void)nanosleep(&pause, NULL);
}

static void heading(const struct demo *d, const char *text)
{
	rest(d);
	(void)printf("\n");
	paint(d, BOLD, str_of(text));
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

static void show_lines(const struct demo *d, struct str text, bool diff)
{
	struct str line;

	if (str_ends(text, STR("\n")))
		text.len--;
	while (str_split(&text, '\n', &line)) {
		(void)printf("    ");
		paint(d, diff ? diff_paint(line) : DIM, line);
		(void)printf("\n");
	}
}

/* The server: our own program, on two pipes. */
static bool start_server(struct demo *d)
{
	int in[2], out[2];

	if (pipe2(in, O_CLOEXEC) || pipe2(out, O_CLOEXEC))
		return false;
	d->server = fork();
	if (d->server == 0) {
		(void)dup2(in[0], STDIN_FILENO);
		(void)dup2(out[1], STDOUT_FILENO);
		/* Nothing of the person's own comes into it, or stays. */
		(void)execl("/proc/self/exe", "stet", "serve", "--no-config",
			    "--state-dir", d->state, d->dir, (char *)NULL);
		_exit(127);
	}
	(void)close(in[0]);
	(void)close(out[1]);
	d->to = in[1];
	d->from = out[0];
	return d->server > 0;
}

static bool send_line(struct demo *d, struct str message)
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
static struct json ask(struct demo *d, const char *method, struct str params)
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
	rest(d);
	if (!send_line(d, buf_str(&out)) || !get_line(d, &line) ||
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
	paint(d, DIM, arena_printf(&d->mem, "%-11.*s ", STR_ARG(key)));
	if (!str_is(key, "path") || !json_text(value, &d->mem, &text))
		text = json_raw(value);
	else if (str_starts(text, str_of(d->dir)))
		text = str_skip(text, strlen(d->dir) + 1);
	paint(d, PLAIN, text);
	(void)printf("\n");
}

static void show_edits(struct demo *d, struct json edits)
{
	struct json_walk w = json_walk(edits);

	while (json_step(&w)) {
		paint(d, DIM, STR("       edit        "));
		paint(d, PLAIN, json_raw(json_get(w.value, "old_string")));
		paint(d, DIM, STR("  to  "));
		paint(d, PLAIN, json_raw(json_get(w.value, "new_string")));
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

	paint(d, CYAN, STR("  -> "));
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

static struct json call(struct demo *d, const char *tool, const char *format,
			...)
{
	struct str arguments;
	va_list args;

	va_start(args, format);
	arguments = arena_vprintf(&d->mem, format, args);
	va_end(args);
	show_call(d, tool, arguments);
	return ask(d, "tools/call",
		   arena_printf(&d->mem,
				"{\"name\":\"%s\",\"arguments\":" STR_FMT "}",
				tool, STR_ARG(arguments)));
}

static struct json payload(struct json reply)
{
	return json_get(json_get(reply, "result"), "structuredContent");
}

static void expect_ok(struct demo *d, struct json reply)
{
	struct str text;

	if (json_text(json_get(json_get(reply, "error"), "message"), &d->mem,
		      &text)) {
		paint(d, RED, text);
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
static void expect_error(struct demo *d, struct json reply)
{
	struct json error = json_get(reply, "error");
	struct str text;
	int64_t code;

	if (!json_int(json_get(error, "code"), &code) ||
	    !json_text(json_get(error, "message"), &d->mem, &text)) {
		paint(d, RED, STR("  expected an error and got none\n"));
		d->failed = true;
		return;
	}
	paint(d, CYAN, STR("  <- "));
	paint(d, YELLOW,
	      arena_printf(&d->mem, "error %lld: ", (long long)code));
	paint(d, YELLOW, without_dir(d, text));
	(void)printf("\n");
}

static void show_diff(struct demo *d, struct json reply)
{
	struct str diff;

	expect_ok(d, reply);
	if (json_text(json_get(payload(reply), "diff"), &d->mem, &diff))
		show_lines(d, diff, true);
}

static void put_file(const struct demo *d, const char *name, struct str bytes)
{
	char path[PATH_MAX];
	auto_fd fd = -1;

	(void)snprintf(path, sizeof(path), "%s/%s", d->dir, name);
	fd = fd_openat(AT_FDCWD, path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
	if (fd < 0 || fd_write(fd, bytes))
		perror("stet demo");
}

static void first_words(struct demo *d)
{
	struct json reply;
	struct str text;

	heading(d, "A client connects");
	paint(d, CYAN, STR("  -> "));
	(void)printf("initialize\n");
	reply = ask(
		d, "initialize",
		STR("{\"protocolVersion\":\"2025-11-25\",\"capabilities\":{},\"clientInfo\":{\"name\":\"demo\",\"version\":\"1\"}}"));
	if (!send_line(
		    d,
		    STR("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}")) ||
	    !json_text(json_get(json_get(json_get(reply, "result"),
					 "serverInfo"),
				"version"),
		       &d->mem, &text)) {
		d->failed = true;
		return;
	}
	paint(d, CYAN, STR("  <- "));
	(void)printf("stet " STR_FMT "\n", STR_ARG(text));
}

static void edits(struct demo *d)
{
	static const struct str before = STR_INIT(
		"[server]\nhost = \"localhost\"\nport = 8080\n\n[app]\ndebug = false\n");

	heading(d, "The file before");
	put_file(d, "config.toml", before);
	show_lines(d, before, false);
	heading(d, "Three edits in one step: all of them or none");
	show_diff(
		d,
		call(d, "multi_edit_text_file",
		     "{\"path\":\"%s/config.toml\",\"edits\":["
		     "{\"old_string\":\"port = 8080\",\"new_string\":\"port = 3000\"},"
		     "{\"old_string\":\"host = \\\"localhost\\\"\",\"new_string\":\"host = \\\"0.0.0.0\\\"\"},"
		     "{\"old_string\":\"debug = false\",\"new_string\":\"debug = true\"}]}",
		     d->dir));
}

static void endings(struct demo *d)
{
	char path[PATH_MAX], bytes[64];
	auto_fd fd = -1;
	ssize_t n;

	heading(d,
		"A Windows file stays one: CRLF outside the edit is not touched");
	put_file(d, "notes.txt", STR("one\r\ntwo\r\nthree\r\n"));
	expect_ok(
		d,
		call(d, "edit_text_file",
		     "{\"path\":\"%s/notes.txt\",\"old_string\":\"two\",\"new_string\":\"2\"}",
		     d->dir));
	(void)snprintf(path, sizeof(path), "%s/notes.txt", d->dir);
	fd = fd_openat(AT_FDCWD, path, O_RDONLY, 0);
	n = fd_pread(fd, bytes, sizeof(bytes), 0);
	(void)printf("    on disk: ");
	for (ssize_t i = 0; i < n; i++) {
		if (bytes[i] == '\r')
			paint(d, GREEN, STR("\\r"));
		else if (bytes[i] == '\n')
			paint(d, GREEN, STR("\\n"));
		else
			(void)putchar(bytes[i]);
	}
	(void)printf("\n");
}

static void protections(struct demo *d)
{
	char path[PATH_MAX];
	struct json reply;
	struct str version;

	heading(d, "An edit that could mean two places is refused");
	put_file(d, "list.txt", STR("item\nitem\n"));
	expect_error(
		d,
		call(d, "edit_text_file",
		     "{\"path\":\"%s/list.txt\",\"old_string\":\"item\",\"new_string\":\"x\"}",
		     d->dir));
	heading(d, "A link out of the project leads nowhere");
	(void)snprintf(path, sizeof(path), "%s/shortcut", d->dir);
	if (symlink("/etc/passwd", path))
		d->failed = true;
	expect_error(d, call(d, "read_text_file", "{\"path\":\"%s/shortcut\"}",
			     d->dir));
	heading(d,
		"Somebody else saved the file after we read it: nothing is overwritten");
	reply = call(d, "read_text_file", "{\"path\":\"%s/list.txt\"}", d->dir);
	if (!json_text(json_get(json_get(payload(reply), "_meta"), "version"),
		       &d->mem, &version)) {
		d->failed = true;
		return;
	}
	put_file(d, "list.txt", STR("item\nitem\nyours\n"));
	expect_error(
		d,
		call(d, "write_text_file",
		     "{\"path\":\"%s/list.txt\",\"content\":\"mine\\n\",\"if_version\":\"" STR_FMT
		     "\"}",
		     d->dir, STR_ARG(version)));
}

static void person(struct demo *d)
{
	heading(d, "What a secret may be in is asked for first");
	expect_error(d, call(d, "write_text_file",
			     "{\"path\":\"%s/.env\",\"content\":\"KEY=1\\n\"}",
			     d->dir));
	heading(d, "Every change can be taken back");
	show_diff(d, call(d, "undo_file_change",
			  "{\"path\":\"%s/config.toml\"}", d->dir));
}

static void remove_all(const char *dir, const char *const *names)
{
	char path[PATH_MAX];

	for (; *names; names++) {
		(void)snprintf(path, sizeof(path), "%s/%s", dir, *names);
		(void)unlink(path);
	}
	(void)rmdir(dir);
}

static void clean_up(struct demo *d)
{
	static const char *const files[] = { "config.toml", "notes.txt",
					     "list.txt", "shortcut", NULL };
	static const char *const kept[] = { "history.db", "history.db-wal",
					    "history.db-shm", "history.lock",
					    NULL };
	int status = 0;

	fd_drop(&d->to); /* the server ends when its input does */
	if (d->server > 0 && waitpid(d->server, &status, 0) > 0 && status)
		d->failed = true;
	fd_drop(&d->from);
	remove_all(d->dir, files);
	remove_all(d->state, kept);
	buf_free(&d->line);
	arena_free(&d->mem);
}

static int demo(const struct command *command, struct command_line *line)
{
	struct demo_config config = { 0 };
	struct demo d = { .to = -1,
			  .from = -1,
			  .dir = "/tmp/stet-demo-XXXXXX",
			  .state = "/tmp/stet-demo-state-XXXXXX" };
	auto_arena mem = ARENA_INIT;
	int status;

	if (!command_options(command, line, &config, &mem, &status))
		return status;
	d.colour = isatty(STDOUT_FILENO) && !getenv("NO_COLOR");
	d.pauses = isatty(STDOUT_FILENO) && !config.fast;
	(void)signal(SIGPIPE, SIG_IGN);
	if (!mkdtemp(d.dir) || !mkdtemp(d.state) || !start_server(&d)) {
		perror("stet demo");
		return 1;
	}
	first_words(&d);
	edits(&d);
	endings(&d);
	protections(&d);
	person(&d);
	clean_up(&d);
	(void)printf(
		d.failed
			? "\nSomething went wrong above.\n"
			: "\nLet it stand. 'stet serve DIR' is what a client starts; 'stet --help' shows the rest.\n");
	return d.failed ? 1 : 0;
}

const struct command command_demo = {
	.name = "demo",
	.usage = "[OPTION...]",
	.summary = "Watch a real session on a temporary directory",
	.about =
		"Start a server on a temporary directory, talk MCP to it over a pipe, and\n"
		"show the requests, the files and the errors that protect them. A few seconds.",
	.options = options,
	.run = demo,
};
