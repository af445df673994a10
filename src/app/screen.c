/*
 * screen.c - writing to terminals, pipes and the pager.
 *
 * Colours are added after control characters were escaped, so that the only
 * escape sequences on a terminal are stet's own.
 */
#include "app/screen.h"

#include "base/arena.h"
#include "base/fd.h"
#include "text/display/visible.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *const codes[] = {
	[INK_PLAIN] = "",         [INK_DIM] = "\033[2m",
	[INK_BOLD] = "\033[1m",   [INK_RED] = "\033[31m",
	[INK_GREEN] = "\033[32m", [INK_YELLOW] = "\033[33m",
	[INK_CYAN] = "\033[36m",
};

size_t screen_width(void)
{
	enum { USUAL = 79, LEAST = 40, MOST = 100 };
	struct winsize size = { 0 };

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) || !size.ws_col)
		return USUAL;
	/* Some terminals wrap when the last column is used. */
	return size_max(LEAST, size_min(MOST, size.ws_col - 1U));
}

struct screen screen_begin(enum screen_kind kind)
{
	const char *term = getenv("TERM"), *no_colour = getenv("NO_COLOR");
	struct screen s = { .out = BUF_INIT,
			    .kind = kind,
			    .terminal = isatty(STDOUT_FILENO) };

	s.colour = s.terminal && !(no_colour && *no_colour) &&
		   !(term && !strcmp(term, "dumb"));
	return s;
}

static void ink_on(struct screen *s, enum ink ink)
{
	if (s->colour && ink != INK_PLAIN)
		buf_add(&s->out, str_of(codes[ink]));
}

static void ink_off(struct screen *s, enum ink ink)
{
	if (s->colour && ink != INK_PLAIN)
		buf_lit(&s->out, "\033[0m");
}

void screen_text(struct screen *s, enum ink ink, struct str text)
{
	ink_on(s, ink);
	visible_add(&s->out, text);
	ink_off(s, ink);
}

void screen_name(struct screen *s, enum ink ink, struct str name)
{
	ink_on(s, ink);
	visible_line(&s->out, name);
	ink_off(s, ink);
}

void screen_print(struct screen *s, enum ink ink, const char *format, ...)
{
	va_list args;

	ink_on(s, ink);
	va_start(args, format);
	visible_print(&s->out, format, args);
	va_end(args);
	ink_off(s, ink);
}

static enum ink ink_of(struct str line)
{
	if (str_starts(line, STR("---")) || str_starts(line, STR("+++")))
		return INK_BOLD;
	if (str_starts(line, STR("@@")))
		return INK_CYAN;
	if (str_starts(line, STR("-")))
		return INK_RED;
	return str_starts(line, STR("+")) ? INK_GREEN : INK_PLAIN;
}

void screen_hunks(struct screen *s, struct str diff, size_t parts)
{
	auto_buf spelled = BUF_INIT;
	struct str rest, line;
	size_t n = 0;

	visible_diff(&spelled, diff);
	rest = buf_str(&spelled);
	if (str_ends(rest, STR("\n")))
		rest.len--;
	while (str_split(&rest, '\n', &line)) {
		enum ink ink = ink_of(line);

		ink_on(s, ink);
		buf_add(&s->out, line);
		ink_off(s, ink);
		if (parts && str_starts(line, STR("@@ ")))
			buf_addf(&s->out, " hunk %zu of %zu", ++n, parts);
		buf_addc(&s->out, '\n');
	}
}

void screen_diff(struct screen *s, struct str diff)
{
	screen_hunks(s, diff, 0);
}

/* Starts the pager, which reads from *@to; -1 if there is none. */
static pid_t start_pager(int *to)
{
	const char *pager = getenv("PAGER");
	posix_spawn_file_actions_t files;
	char *words[] = { (char *)"sh", (char *)"-c", NULL, NULL };
	int ends[2];
	pid_t pid = -1;

	if (!pager)
		pager = "less";
	if (!*pager || !strcmp(pager, "cat") || pipe2(ends, O_CLOEXEC))
		return -1;
	(void)setenv("LESS", "FRX", /* overwrite= */ 0);
	words[2] = (char *)pager;
	(void)posix_spawn_file_actions_init(&files);
	(void)posix_spawn_file_actions_adddup2(&files, ends[0], STDIN_FILENO);
	if (posix_spawn(&pid, "/bin/sh", &files, NULL, words, environ))
		pid = -1;
	(void)posix_spawn_file_actions_destroy(&files);
	(void)close(ends[0]);
	if (pid < 0)
		(void)close(ends[1]);
	*to = ends[1];
	return pid;
}

/* True unless the pager could not be run at all. */
static bool page(struct str text)
{
	enum { NOT_FOUND = 127 };
	int to, status = 0;
	pid_t pid = start_pager(&to);

	if (pid < 0)
		return false;
	/* Quitting the pager early is not an error. */
	(void)signal(SIGPIPE, SIG_IGN);
	(void)!fd_write(to, text);
	(void)close(to);
	(void)waitpid(pid, &status, 0);
	return !WIFEXITED(status) || WEXITSTATUS(status) != NOT_FOUND;
}

/* Escapes what was added to the buffer since the last call. */
static void spell_out(struct screen *s)
{
	auto_buf spelled = BUF_INIT;

	if (s->kind == SCREEN_JSON)
		visible_json(&spelled, buf_str(&s->out));
	else
		visible_add(&spelled, buf_str(&s->out));
	buf_clear(&s->out, SIZE_MAX);
	buf_add(&s->out, buf_str(&spelled));
}

int screen_end(struct screen *s)
{
	struct str text;

	if (s->terminal && s->kind >= SCREEN_JSON)
		spell_out(s);
	text = buf_str(&s->out);
	if (!text.len || (s->terminal && s->kind == SCREEN_PAGED && page(text)))
		return 0;
	return fd_write(STDOUT_FILENO, text) ? 1 : 0;
}

void screen_free(struct screen *s)
{
	buf_free(&s->out);
}

static void say_to(int fd, const char *format, va_list args)
{
	auto_buf out = BUF_INIT;

	visible_print(&out, format, args);
	(void)!fd_write(fd, buf_str(&out));
}

void screen_say(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	say_to(STDOUT_FILENO, format, args);
	va_end(args);
}

void screen_warn(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	say_to(STDERR_FILENO, format, args);
	va_end(args);
}

void screen_warn_text(struct str text)
{
	auto_buf out = BUF_INIT;

	visible_add(&out, text);
	(void)!fd_write(STDERR_FILENO, buf_str(&out));
}

int screen_json(struct str json)
{
	auto_screen s = screen_begin(SCREEN_JSON);

	buf_add(&s.out, json);
	return screen_end(&s);
}

void screen_clear_line(void)
{
	if (isatty(STDERR_FILENO))
		(void)!fd_write(STDERR_FILENO, STR("\r\033[K"));
}

void screen_progress(void *words, uint64_t done, uint64_t total)
{
	enum { WIDTH = 30 };
	static const char bar[] = "##############################";
	int full = total ? (int)(done * WIDTH / total) : WIDTH;

	if (!isatty(STDERR_FILENO))
		return;
	if (done >= total) {
		screen_clear_line();
		return;
	}
	(void)fprintf(stderr, "\r%s [%-*.*s] %llu of %llu ",
		      (const char *)words, WIDTH, full, bar,
		      (unsigned long long)done, (unsigned long long)total);
}
