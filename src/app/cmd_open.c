/*
 * cmd_open.c - the command `stet open`: open the web page, signed in.
 *
 * Finds the running servers (web/running.h), makes a one-time sign-in link
 * (web/signin.h) and starts a browser with it. Only a person at a terminal gets
 * a link, because the page answers questions for them.
 */
#include "app/command.h"
#include "app/person.h"
#include "app/prompt.h"
#include "app/screen.h"
#include "store/store.h"
#include "web/guard.h"
#include "web/running.h"

#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { WAIT_MS = 3000, STEP_MS = 20 };

struct open_config {
	bool help, print;
	const char *state_dir, *token_file, *port;
};

static const struct option options[] = {
	{ "print", NULL, OPTION_FLAG, offsetof(struct open_config, print),
	  "Only print the link" },
	{ "port", "PORT", OPTION_TEXT, offsetof(struct open_config, port),
	  "Port of the server, if several are running" },
	{ "state-dir", "DIR", OPTION_TEXT,
	  offsetof(struct open_config, state_dir),
	  "State directory of the server (default ~/.local/state/stet)" },
	{ "token-file", "FILE", OPTION_TEXT,
	  offsetof(struct open_config, token_file),
	  "The owner's token, if the server was started with one" },
	OPTION_HELP,
	OPTIONS_END,
};

static bool is_set(const char *variable)
{
	const char *value = getenv(variable);

	return value && *value;
}

/* The first command of $BROWSER, a colon-separated list. */
static const char *browser_command(struct arena *mem)
{
	struct str list = str_of(getenv("BROWSER"));
	struct str first = str_head(list, str_find(list, ':'));

	return first.len ? arena_cstr(mem, first) : "xdg-open";
}

/* setsid(), so that closing the terminal does not end the browser. */
static pid_t spawn_browser(const char *program, const char *link)
{
	char *const argv[] = { (char *)program, (char *)link, NULL };
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	pid_t pid = -1;

	(void)posix_spawn_file_actions_init(&actions);
	(void)posix_spawnattr_init(&attributes);
	(void)posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID);
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		(void)posix_spawn_file_actions_addopen(&actions, fd,
						       "/dev/null", O_RDWR, 0);
	if (posix_spawnp(&pid, program, &actions, &attributes, argv, environ))
		pid = -1;
	(void)posix_spawn_file_actions_destroy(&actions);
	(void)posix_spawnattr_destroy(&attributes);
	return pid;
}

/* A browser that is still running, or ended with 0, has opened the page. */
static bool show_in_browser(const char *program, const char *link)
{
	static const struct timespec step = { 0, STEP_MS * 1000000L };
	pid_t pid = spawn_browser(program, link);
	int status;

	if (pid < 0)
		return false;
	for (int waited = 0; waited < WAIT_MS; waited += STEP_MS) {
		if (waitpid(pid, &status, WNOHANG) == pid)
			return WIFEXITED(status) && !WEXITSTATUS(status);
		(void)nanosleep(&step, NULL);
	}
	return true;
}

struct servers {
	struct running *items;
	size_t n;
};

static struct str port_of(struct str url)
{
	return str_skip(url, str_rfind(url, ':') + 1);
}

/* One line per server: "2  http://127.0.0.1:7718  /srv/project". */
static struct str table_of(const struct servers *all, struct arena *mem)
{
	auto_buf out = BUF_INIT;

	for (size_t i = 0; i < all->n; i++)
		buf_addf(&out, "  %zu  " STR_FMT "  " STR_FMT "\n", i + 1,
			 STR_ARG(all->items[i].url),
			 STR_ARG(all->items[i].roots));
	return arena_copy(mem, buf_str(&out));
}

static enum err by_port(const struct servers *all, struct str port,
			struct arena *mem, const struct running **ret,
			struct fault *f)
{
	for (size_t i = 0; i < all->n; i++)
		if (str_eq(port_of(all->items[i].url), port)) {
			*ret = &all->items[i];
			return ERR_OK;
		}
	return fail(f, ERR_NOT_FOUND, .path = port,
		    .hint = arena_printf(mem,
					 "No server is running on port " STR_FMT
					 ". These are:\n" STR_FMT,
					 STR_ARG(port),
					 STR_ARG(table_of(all, mem))));
}

/* Asks the person for the number of a line, or a port. */
static enum err by_asking(const struct servers *all, struct arena *mem,
			  const struct running **ret, struct fault *f)
{
	struct str table = table_of(all, mem);
	char answer[16];
	size_t n;

	if (!prompt_possible())
		return fail(
			f, ERR_BAD_ARGS,
			.text = STR(
				"several servers are running: choose one with --port"),
			.reason = "several_servers", .hint = table);
	screen_warn("Several servers are running:\n");
	screen_warn_text(table);
	if (!prompt_line("Which one? (number in the list, or port)", answer,
			 sizeof(answer)))
		return fail(f, ERR_UNCONFIRMED,
			    .text = STR("no server was chosen"));
	n = (size_t)strtoul(answer, NULL, 10);
	if (n >= 1 && n <= all->n) {
		*ret = &all->items[n - 1];
		return ERR_OK;
	}
	return by_port(all, str_of(answer), mem, ret, f);
}

static enum err choose_server(const struct open_config *config, struct str dir,
			      struct arena *mem, struct running *ret,
			      struct fault *f)
{
	const struct running *chosen = NULL;
	struct servers all;
	enum err e = running_list(dir, mem, &all.items, &all.n, f);

	if (e)
		return e;
	if (config->port)
		e = by_port(&all, str_of(config->port), mem, &chosen, f);
	else if (all.n > 1)
		e = by_asking(&all, mem, &chosen, f);
	if (!e)
		*ret = chosen ? *chosen : all.items[0];
	return e;
}

static enum err make_link(const struct open_config *config, struct arena *mem,
			  struct str *ret_url, struct str *ret_link,
			  struct fault *f)
{
	struct tokens_options want = { .given = str_of(getenv("STET_TOKEN")),
				       .file = str_of(config->token_file) };
	struct running running;
	struct tokens *tokens;
	enum err e;

	want.dir = config->state_dir ? str_of(config->state_dir)
				     : store_default_dir(mem);
	e = choose_server(config, want.dir, mem, &running, f);
	if (e)
		return e;
	tokens = tokens_open(&want, mem, f);
	if (!tokens)
		return f->err;
	*ret_url = running.url;
	*ret_link = arena_printf(mem, STR_FMT STR_FMT, STR_ARG(running.page),
				 STR_ARG(guard_link(tokens_owner(tokens),
						    running.id, mem)));
	tokens_free(tokens);
	return ERR_OK;
}

static int open_failed(const struct command *command, const struct fault *f)
{
	if (f->err == ERR_BAD_ARGS && f->hint.len) {
		const int status = command_misused(command, f);

		screen_warn_text(f->hint);
		return status;
	}
	if (f->err != ERR_NOT_FOUND || !f->hint.len)
		return command_misused(command, f);
	screen_warn("stet open: ");
	screen_warn_text(f->hint);
	if (!str_ends(f->hint, STR("\n")))
		screen_warn("\n");
	return err_exit(f->err);
}

static int show_link(const struct open_config *config, struct str url,
		     struct str link, struct arena *mem)
{
	const char *program = browser_command(mem);

	if (config->print) {
		screen_say(STR_FMT "\n", STR_ARG(link));
		return 0;
	}
	if (!is_set("DISPLAY") && !is_set("WAYLAND_DISPLAY")) {
		screen_warn("There is no display. ");
	} else if (show_in_browser(program, link.ptr)) {
		screen_say("Opened " STR_FMT " in your browser.\n",
			   STR_ARG(url));
		return 0;
	} else {
		screen_warn("'%s' could not open a browser. ", program);
	}
	screen_warn("This link signs in once, within 5 minutes:\n");
	screen_say(STR_FMT "\n", STR_ARG(link));
	return 0;
}

static int open_page(const struct command *command, struct command_line *line)
{
	struct open_config config = { 0 };
	auto_arena mem = ARENA_INIT;
	struct str url = STR(""), link = STR("");
	struct fault f;
	int status;

	if (!command_options(command, line, &config, &mem, &status))
		return status;
	status = command_at_most(command, line, 0);
	if (status)
		return status;
	if (make_link(&config, &mem, &url, &link, &f))
		return open_failed(command, &f);
	/* the link lets its holder answer questions */
	if (person_check_here("open", &mem, &f))
		return command_misused(command, &f);
	return show_link(&config, url, link, &mem);
}

const struct command command_open = {
	.name = "open",
	.usage = "[--port PORT] [--print] [OPTION...]",
	.summary = "Open the page of a running server in a browser",
	.about =
		"Find the server that 'stet serve --http' has started, and open its page with a\n"
		"link that signs in your browser. Asks which one if several are running. The link\n"
		"works once, within five minutes. Without a display it is printed instead.",
	.options = options,
	.run = open_page,
};
