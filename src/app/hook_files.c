/*
 * hook_files.c - finds the files that a hook's command line names.
 *
 * It does not know the grammar of the shell: the text is split into words in
 * several ways, and every word that names a file in a directory the command may
 * run in counts. The result has too many files rather than too few. Only calls
 * stat(), a limited number of times.
 */
#include "app/hook_files.h"

#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>

enum {
	MOST_WORDS = 512,
	MOST_DIRS = 64,
	MOST_NAMED =
		32, /* directories named by words; the rest is for the PATH */
};

struct hook_scan {
	struct arena *mem;
	struct str word[MOST_WORDS];
	size_t words, plain; /* words found by the first way of splitting */
	struct {
		struct str path; /* the first is "": for absolute names */
		struct stat st;
	} dir[MOST_DIRS];
	size_t dirs, named;
};

/* Ways of splitting: a character that ends one name may be part of another. */
static const struct word_split {
	const char *ends; /* separator characters */
	bool escapes;     /* a backslash quotes the next character */
	bool variables;   /* "$NAME" also separates words */
} cuts[] = {
	{ " \t\r\n\v\f;&|(){}<>`\"'=,:*?[]!#~^%@+\\", false, true },
	{ " \t\r\n\v\f;&|()<>`\"'", true, false },
	{ "\r\n\"'", false, false }, /* names with blanks, in quotes */
};

static bool is_name_char(char c)
{
	return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
	       (c >= 'A' && c <= 'Z');
}

static void add_once(struct hook_scan *w, struct str word)
{
	for (size_t i = 0; i < w->words; i++)
		if (str_eq(w->word[i], word))
			return;
	if (w->words < MOST_WORDS)
		w->word[w->words++] = word;
}

static void add_word(struct hook_scan *w, struct str word)
{
	if (!word.len || word.len >= PATH_MAX)
		return;
	add_once(w, word);
	if (word.len > 2 && word.ptr[0] == '-') /* "-fFILE" */
		add_once(w, str_skip(word, 2));
}

static void cut_words(struct hook_scan *w, struct str command,
		      const struct word_split *cut)
{
	char *to = arena_alloc(w->mem, command.len + 1);
	size_t start = 0, n = 0;

	for (size_t i = 0; i < command.len; i++) {
		char c = command.ptr[i];

		if (cut->escapes && c == '\\' && i + 1 < command.len) {
			to[n++] = command.ptr[++i];
			continue;
		}
		to[n++] = c;
		if (cut->variables && c == '$')
			while (i + 1 < command.len &&
			       is_name_char(command.ptr[i + 1]))
				i++;
		else if (!c || !strchr(cut->ends, c))
			continue;
		add_word(w, str_make(to + start, n - 1 - start));
		start = n;
	}
	add_word(w, str_make(to + start, n - start));
}

/* "" for a relative name without a directory. */
static struct str name_in(struct hook_scan *w, struct str dir, struct str word)
{
	if (word.ptr[0] == '/')
		return arena_printf(w->mem, STR_FMT STR_FMT, STR_ARG(dir),
				    STR_ARG(word));
	if (!dir.len)
		return dir;
	return arena_printf(w->mem, STR_FMT "/" STR_FMT, STR_ARG(dir),
			    STR_ARG(word));
}

static bool look(struct hook_scan *w, struct str path, struct stat *st)
{
	return path.len && !stat(arena_cstr(w->mem, path), st);
}

static void add_dir(struct hook_scan *w, struct str path, size_t most)
{
	struct stat st;

	if (w->dirs >= most || !look(w, path, &st) || !S_ISDIR(st.st_mode))
		return;
	for (size_t i = 0; i < w->dirs; i++)
		if (w->dir[i].st.st_ino == st.st_ino &&
		    w->dir[i].st.st_dev == st.st_dev)
			return;
	w->dir[w->dirs].path = path;
	w->dir[w->dirs++].st = st;
}

/* Possible targets of "cd": words that are directories in a known one. */
static void find_dirs(struct hook_scan *w, struct str here)
{
	w->dirs = 1;
	add_dir(w, here, MOST_NAMED);
	add_dir(w, str_of(getenv("HOME")), MOST_NAMED);
	for (size_t i = 0; i < w->words; i++)
		for (size_t d = 0, n = w->dirs; d < n; d++)
			add_dir(w, name_in(w, w->dir[d].path, w->word[i]),
				MOST_NAMED);
	w->named = w->dirs;
}

static void add_path_dirs(struct hook_scan *w)
{
	struct str path = str_of(getenv("PATH")), dir;

	while (path.len && str_split(&path, ':', &dir))
		if (dir.len && dir.ptr[0] == '/')
			add_dir(w, dir, MOST_DIRS);
}

/* A missing name with a slash counts: the hook would run it once it exists. */
static bool may_be_made(const struct hook_scan *w, size_t word, size_t dir)
{
	struct str s = w->word[word];

	return word < w->plain && dir < w->named && str_find(s, '/') < s.len &&
	       s.ptr[s.len - 1] != '/';
}

static bool is_hook_file(struct hook_scan *w, size_t word, size_t dir,
			 struct str path)
{
	struct stat st;

	if (look(w, path, &st))
		return S_ISREG(st.st_mode);
	return path.len && may_be_made(w, word, dir);
}

void hook_words(struct str command, struct str here, struct arena *mem,
		void (*tell)(void *ctx, struct str path), void *ctx)
{
	struct hook_scan *w = arena_new(mem, struct hook_scan);

	w->mem = mem;
	for (size_t i = 0; i < COUNT_OF(cuts); i++) {
		cut_words(w, command, &cuts[i]);
		if (!i)
			w->plain = w->words;
	}
	find_dirs(w, here);
	add_path_dirs(w);
	for (size_t i = 0; i < w->words; i++)
		for (size_t d = 0; d < w->dirs; d++) {
			struct str path =
				name_in(w, w->dir[d].path, w->word[i]);

			if (is_hook_file(w, i, d, path))
				tell(ctx, path);
		}
}
