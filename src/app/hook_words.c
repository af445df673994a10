/*
 * Takes a hook's command apart into words, as the shell does it, but without
 * running anything: quotes, backslashes, and what stands between two commands.
 * What a variable holds is not known, but for $HOME and "~".
 */
#include "app/hook_words.h"

#include "base/buf.h"

#include <stdlib.h>
#include <sys/stat.h>

struct hook_line {
	struct arena *mem;
	struct str here;
	void (*tell)(void *ctx, struct str path);
	void *ctx;
	size_t words;  /* of this simple command, so far */
	bool finished; /* its script is known */
	bool goes;     /* it is a "cd" */
	bool interprets;
};

/* A file; with @runs, one that is run by itself. */
static bool is_file(struct hook_line *l, struct str path, bool runs)
{
	struct stat st;

	return !stat(arena_cstr(l->mem, path), &st) && S_ISREG(st.st_mode) &&
	       (!runs || (st.st_mode & 0111));
}

static struct str at_home(struct hook_line *l, struct str word)
{
	static const struct str names[] = { STR_INIT("~/"), STR_INIT("$HOME/"),
					    STR_INIT("${HOME}/") };
	const char *home = getenv("HOME");

	for (size_t i = 0; home && i < COUNT_OF(names); i++)
		if (str_starts(word, names[i]))
			return arena_printf(l->mem, "%s/" STR_FMT, home,
					    STR_ARG(str_skip(word,
							     names[i].len)));
	return word;
}

static struct str absolute(struct hook_line *l, struct str word)
{
	if (word.ptr[0] == '/')
		return word;
	return arena_printf(l->mem, STR_FMT "/" STR_FMT, STR_ARG(l->here),
			    STR_ARG(word));
}

/* The program of that name on the PATH. */
static void tell_found(struct hook_line *l, struct str name)
{
	struct str path = str_of(getenv("PATH")), dir, file;

	while (path.len && str_split(&path, ':', &dir)) {
		if (!dir.len)
			continue;
		file = absolute(l, arena_printf(l->mem, STR_FMT "/" STR_FMT,
						STR_ARG(dir), STR_ARG(name)));
		if (!is_file(l, file, true))
			continue;
		l->tell(l->ctx, file);
		return;
	}
}

static bool is_assignment(struct str word)
{
	size_t equals = str_find(word, '=');

	return equals && equals < str_find(word, '/') && equals < word.len;
}

/* Programs that run the file they are given. */
static bool is_interpreter(struct str word)
{
	static const char *const names[] = {
		"sh",     "bash",   "dash",   "ksh",  "zsh",     "fish",
		"node",   "nodejs", "deno",   "bun",  "tsx",     "ts-node",
		"ruby",   "perl",   "php",    "lua",  "Rscript", "pwsh",
		"tclsh",  "env",    "exec",   "eval", "command", "nohup",
		"setsid", "time",   "nice",   "sudo", "npx",     "uv",
		"poetry", "pipx",   "source", ".",    "make",    "just",
	};
	size_t slash = str_rfind(word, '/');

	if (slash < word.len)
		word = str_skip(word, slash + 1);
	for (size_t i = 0; i < COUNT_OF(names); i++)
		if (str_is(word, names[i]))
			return true;
	return str_starts(word, STR("python"));
}

/* A program of the project's own takes data; others may take a script. */
static void first_word(struct hook_line *l, struct str word)
{
	l->goes = str_is(word, "cd");
	l->interprets = is_interpreter(word);
	if (str_find(word, '/') == word.len) {
		tell_found(l, word);
		return;
	}
	l->tell(l->ctx, absolute(l, word));
	l->finished = word.ptr[0] != '/';
}

static void hook_word(struct hook_line *l, struct str word)
{
	word = at_home(l, word);
	if (!word.len || (!l->words && is_assignment(word)))
		return;
	if (!l->words++) {
		first_word(l, word);
		return;
	}
	if (l->goes && word.ptr[0] != '-')
		l->here = absolute(l, word);
	if (l->finished || l->goes || word.ptr[0] == '-')
		return;
	word = absolute(l, word);
	if (!is_file(l, word, !l->interprets))
		return;
	l->tell(l->ctx, word);
	l->finished = true;
}

static void hook_command_ends(struct hook_line *l)
{
	l->words = 0;
	l->finished = l->goes = false;
}

static bool is_in(char c, const char *set)
{
	return c && strchr(set, c);
}

void hook_words(struct str command, struct str here, struct arena *mem,
		void (*tell)(void *ctx, struct str path), void *ctx)
{
	struct hook_line l = {
		.mem = mem, .here = here, .tell = tell, .ctx = ctx
	};
	auto_buf word = BUF_INIT;
	char quote = 0;

	for (size_t i = 0; i <= command.len; i++) {
		char c = '\n';

		if (i < command.len)
			c = command.ptr[i];
		if (c == '\\' && quote != '\'' && i + 1 < command.len) {
			buf_addc(&word, command.ptr[++i]);
		} else if (quote ? c == quote : is_in(c, "'\"")) {
			quote = quote ? 0 : c;
		} else if (quote && i < command.len) {
			buf_addc(&word, c);
		} else if (is_in(c, " \t\r\n;&|()<>`")) {
			hook_word(&l, arena_copy(mem, buf_str(&word)));
			buf_clear(&word, SIZE_MAX);
			if (is_in(c, "\n;&|()`"))
				hook_command_ends(&l);
		} else {
			buf_addc(&word, c);
		}
	}
}
