#include "app/screen.h"

#include "base/arena.h"
#include "base/fd.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *const codes[] = {
	[INK_PLAIN] = "",         [INK_DIM] = "\033[2m",
	[INK_BOLD] = "\033[1m",   [INK_RED] = "\033[31m",
	[INK_GREEN] = "\033[32m", [INK_YELLOW] = "\033[33m",
	[INK_CYAN] = "\033[36m",
};

struct screen screen_begin(void)
{
	const char *term = getenv("TERM"), *no_colour = getenv("NO_COLOR");
	struct screen s = { .out = BUF_INIT,
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

static void add_safe(struct screen *s, struct str text)
{
	for (size_t i = 0; i < text.len; i++) {
		unsigned char c = (unsigned char)text.ptr[i];

		if (!s->terminal || (c >= ' ' && c != 0x7f) || c == '\t' ||
		    c == '\n')
			buf_addc(&s->out, (char)c);
		else
			buf_addf(&s->out, "^%c", c ^ 0x40);
	}
}

void screen_text(struct screen *s, enum ink ink, struct str text)
{
	ink_on(s, ink);
	add_safe(s, text);
	ink_off(s, ink);
}

void screen_print(struct screen *s, enum ink ink, const char *format, ...)
{
	auto_buf text = BUF_INIT;
	va_list args;

	va_start(args, format);
	buf_addv(&text, format, args);
	va_end(args);
	screen_text(s, ink, buf_str(&text));
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

void screen_diff(struct screen *s, struct str diff)
{
	struct str line;

	if (str_ends(diff, STR("\n")))
		diff.len--;
	while (str_split(&diff, '\n', &line)) {
		/* The CR of a CRLF line is no control character to show. */
		if (s->terminal && str_ends(line, STR("\r")))
			line.len--;
		screen_text(s, ink_of(line), line);
		buf_addc(&s->out, '\n');
	}
}

/* The pager's process, reading from *@to; -1 when there is none. */
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
	/* A reader who has seen enough is no failure of ours. */
	(void)signal(SIGPIPE, SIG_IGN);
	(void)!fd_write(to, text);
	(void)close(to);
	(void)waitpid(pid, &status, 0);
	return !WIFEXITED(status) || WEXITSTATUS(status) != NOT_FOUND;
}

int screen_end(struct screen *s)
{
	struct str text = buf_str(&s->out);

	if (!text.len || (s->terminal && page(text)))
		return 0;
	return fd_write(STDOUT_FILENO, text) ? 1 : 0;
}

void screen_free(struct screen *s)
{
	buf_free(&s->out);
}

void screen_progress(void *words, uint64_t done, uint64_t total)
{
	enum { WIDTH = 30 };
	static const char bar[] = "##############################";
	int full = total ? (int)(done * WIDTH / total) : WIDTH;

	if (!isatty(STDERR_FILENO))
		return;
	if (done >= total) {
		(void)fprintf(stderr, "\r\033[K");
		return;
	}
	(void)fprintf(stderr, "\r%s [%-*.*s] %llu of %llu ",
		      (const char *)words, WIDTH, full, bar,
		      (unsigned long long)done, (unsigned long long)total);
}
