/*
 * cmd_demo.c - the command `stet demo`: a scripted client, shown step by step.
 *
 * Starts this program as a server on a temporary directory, talks MCP to it
 * (demo_talk.c), and prints the messages and what they change on the disk.
 */
#include "app/command.h"
#include "app/demo.h"
#include "app/screen.h"
#include "base/fd.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

struct demo_config {
	bool help, fast;
};

static const struct option options[] = {
	{ "fast", NULL, OPTION_FLAG, offsetof(struct demo_config, fast),
	  "No pauses, and exit at the end" },
	OPTION_HELP,
	OPTIONS_END,
};

static void put_file(const struct demo *d, const char *name, struct str bytes)
{
	char path[PATH_MAX];
	auto_fd fd = -1;

	(void)snprintf(path, sizeof(path), "%s/%s", d->dir, name);
	fd = fd_openat(AT_FDCWD, path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
	if (fd < 0 || fd_write(fd, bytes))
		screen_warn("stet demo: %s\n", strerror(errno));
}

static void first_words(struct demo *d)
{
	struct json reply;
	struct str text;

	demo_heading(d, "A client connects");
	demo_paint(d, INK_CYAN, STR("  -> "));
	screen_say("initialize\n");
	reply = demo_ask(
		d, "initialize",
		STR("{\"protocolVersion\":\"2025-11-25\",\"capabilities\":{},\"clientInfo\":{\"name\":\"demo\",\"version\":\"1\"}}"));
	if (!demo_send_line(
		    d,
		    STR("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}")) ||
	    !json_text(json_get(json_get(json_get(reply, "result"),
					 "serverInfo"),
				"version"),
		       &d->mem, &text)) {
		d->failed = true;
		return;
	}
	demo_paint(d, INK_CYAN, STR("  <- "));
	screen_say("stet " STR_FMT "\n", STR_ARG(text));
}

static void edits(struct demo *d)
{
	static const struct str before = STR_INIT(
		"[server]\nhost = \"localhost\"\nport = 8080\n\n[app]\ndebug = false\n");

	demo_heading(d, "The file before");
	put_file(d, "config.toml", before);
	demo_show_lines(d, before, false);
	demo_heading(d, "Three edits in one atomic call");
	demo_show_diff(
		d,
		demo_call(
			d, "multi_edit_text_file",
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

	demo_heading(d, "CRLF line endings are preserved");
	put_file(d, "notes.txt", STR("one\r\ntwo\r\nthree\r\n"));
	demo_expect_ok(
		d,
		demo_call(
			d, "edit_text_file",
			"{\"path\":\"%s/notes.txt\",\"old_string\":\"two\",\"new_string\":\"2\"}",
			d->dir));
	(void)snprintf(path, sizeof(path), "%s/notes.txt", d->dir);
	fd = fd_openat(AT_FDCWD, path, O_RDONLY, 0);
	n = fd_pread(fd, bytes, sizeof(bytes), 0);
	screen_say("    on disk: ");
	for (ssize_t i = 0; i < n; i++) {
		if (bytes[i] == '\r')
			demo_paint(d, INK_GREEN, STR("\\r"));
		else if (bytes[i] == '\n')
			demo_paint(d, INK_GREEN, STR("\\n"));
		else
			screen_say("%c", bytes[i]);
	}
	screen_say("\n");
}

static void protections(struct demo *d)
{
	char path[PATH_MAX];
	struct json reply;
	struct str version;

	demo_heading(d, "An ambiguous edit is refused");
	put_file(d, "list.txt", STR("item\nitem\n"));
	demo_expect_error(
		d,
		demo_call(
			d, "edit_text_file",
			"{\"path\":\"%s/list.txt\",\"old_string\":\"item\",\"new_string\":\"x\"}",
			d->dir));
	demo_heading(d, "A symlink out of the project is refused");
	(void)snprintf(path, sizeof(path), "%s/shortcut", d->dir);
	if (symlink("/etc/passwd", path))
		d->failed = true;
	demo_expect_error(d, demo_call(d, "read_text_file",
				       "{\"path\":\"%s/shortcut\"}", d->dir));
	demo_heading(
		d,
		"The file was changed since it was read: nothing is overwritten");
	reply = demo_call(d, "read_text_file", "{\"path\":\"%s/list.txt\"}",
			  d->dir);
	if (!json_text(json_get(json_get(demo_payload(reply), "_meta"),
				"version"),
		       &d->mem, &version)) {
		d->failed = true;
		return;
	}
	put_file(d, "list.txt", STR("item\nitem\nyours\n"));
	demo_expect_error(
		d,
		demo_call(
			d, "write_text_file",
			"{\"path\":\"%s/list.txt\",\"content\":\"mine\\n\",\"if_version\":\"" STR_FMT
			"\"}",
			d->dir, STR_ARG(version)));
}

static void person(struct demo *d)
{
	demo_heading(d, "Files that may contain secrets need your approval");
	put_file(d, ".env", STR("KEY=0\n"));
	demo_expect_error(d, demo_call(d, "read_text_file",
				       "{\"path\":\"%s/.env\"}", d->dir));
	demo_expect_error(
		d, demo_call(d, "write_text_file",
			     "{\"path\":\"%s/.env\",\"content\":\"KEY=1\\n\"}",
			     d->dir));
	demo_heading(d, "Every change can be undone");
	demo_show_diff(d, demo_call(d, "undo_file_change",
				    "{\"path\":\"%s/config.toml\"}", d->dir));
}

/* Steps that demo_stay() repeats; the directory is removed after two rounds. */
static const struct {
	const char *tool, *name, *arguments;
} chores[] = {
	{ "write_text_file", "diary.md",
	  "\"content\":\"# Round %d\\n\\nNothing was lost so far, in %d rounds.\\n\"" },
	{ "read_text_file", "config.toml", "" },
	{ "write_text_file", "config.toml",
	  "\"content\":\"[server]\\nhost = \\\"localhost\\\"\\nport = %d\\n\\n[app]\\ndebug = false\\n# a comment\\n\\n[cache]\\nsize = 64\\nround = %d\\n\"" },
	{ "read_text_file", ".env", "" },
	{ "write_text_file", ".env", "\"content\":\"KEY=1\\nTOKEN=2\\n\"" },
};

static volatile sig_atomic_t stop_requested;

static void on_demo_signal(int number)
{
	stop_requested = 1;
}

static void chore(struct demo *d, int round)
{
	size_t i = (size_t)round % COUNT_OF(chores);
	struct str rest =
		arena_printf(&d->mem, chores[i].arguments, round, round);
	struct json reply;
	struct str wrong;

	reply = demo_ask(
		d, "tools/call",
		arena_printf(
			&d->mem,
			"{\"name\":\"%s\",\"arguments\":{\"path\":\"%s/%s\"%s" STR_FMT
			"}}",
			chores[i].tool, d->dir, chores[i].name,
			rest.len ? "," : "", STR_ARG(rest)));
	demo_paint(d, INK_CYAN, STR("  -> "));
	screen_say("%s %s", chores[i].tool, chores[i].name);
	if (json_text(json_get(json_get(reply, "error"), "message"), &d->mem,
		      &wrong))
		demo_paint(d, INK_YELLOW,
			   STR("   waiting for you on the page"));
	screen_say("\n");
	arena_reset(&d->mem, SIZE_MAX);
}

/* On a terminal, without --fast: repeats steps until Ctrl-C, for the page. */
static void demo_stay(struct demo *d)
{
	static const struct timespec pause = { 3, 0 };
	struct sigaction end = { .sa_handler = on_demo_signal };
	struct str link = demo_link(d);

	(void)sigaction(SIGINT, &end, NULL);
	(void)sigaction(SIGTERM, &end, NULL);
	demo_heading(d, "The server keeps running, with an agent at work");
	screen_say("  Your page, with approvals, history and undo:\n\n    ");
	demo_paint(d, INK_BOLD, link);
	screen_say(
		"\n\n  The link signs in one browser, within five minutes. Ctrl-C stops the demo.\n\n");
	d->pauses = false;
	for (int round = 0; !stop_requested && !d->failed; round++) {
		chore(d, round);
		(void)nanosleep(&pause, NULL);
	}
	d->failed = d->failed && !stop_requested;
	screen_say("\n");
}

static int remove_one(const char *path, const struct stat *st, int kind,
		      struct FTW *at)
{
	(void)remove(path);
	return 0;
}

static void remove_all(const char *dir)
{
	enum { DESCRIPTORS = 8 };

	(void)nftw(dir, remove_one, DESCRIPTORS, FTW_DEPTH | FTW_PHYS);
}

static void clean_up(struct demo *d)
{
	int status = 0;

	fd_drop(&d->to); /* end of input ends the server */
	if (d->server > 0 && waitpid(d->server, &status, 0) > 0 && status)
		d->failed = true;
	fd_drop(&d->from);
	remove_all(d->dir);
	remove_all(d->state);
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
	bool stays;
	int status;

	if (!command_options(command, line, &config, &mem, &status))
		return status;
	status = command_at_most(command, line, 0);
	if (status)
		return status;
	stays = isatty(STDIN_FILENO) && isatty(STDOUT_FILENO) && !config.fast;
	d.pauses = isatty(STDOUT_FILENO) && !config.fast;
	(void)signal(SIGPIPE, SIG_IGN);
	if (!mkdtemp(d.dir) || !mkdtemp(d.state) || !demo_start_server(&d)) {
		screen_warn("stet demo: %s\n", strerror(errno));
		return 1;
	}
	first_words(&d);
	edits(&d);
	endings(&d);
	protections(&d);
	person(&d);
	if (stays && !d.failed)
		demo_stay(&d);
	clean_up(&d);
	screen_say(
		d.failed
			? "\nSomething went wrong above.\n"
			: "\nDone. MCP clients start 'stet serve DIR'; 'stet --help' lists the other commands.\n");
	return d.failed ? 1 : 0;
}

const struct command command_demo = {
	.name = "demo",
	.usage = "[OPTION...]",
	.summary = "Watch a real session on a temporary directory",
	.about =
		"Start a server on a temporary directory, talk MCP to it over a pipe, and show\n"
		"the requests, the files and the errors that protect them. On a terminal the\n"
		"server then keeps running until Ctrl-C, with an agent at work and a link to your\n"
		"page.",
	.options = options,
	.run = demo,
};
