/*
 * policy_git.c - what git ignores by files that lie outside the roots.
 *
 * The person's own excludes and, for a root inside a repository, the .gitignore
 * files above it and .git/info/exclude. Only searches use them. They are read
 * with the settings, because a confined process cannot read them later. The
 * configuration of a repository is never read: a clone must not decide what a
 * search sees.
 */
#include "app/policy_local.h"

#include "base/fd.h"
#include "files/path.h"
#include "tools/permissions/patterns.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>

/* The text of a file of the person's; "" if there is none. */
static struct str read_own(struct policy *p, struct str path)
{
	auto_fd fd = fd_openat(AT_FDCWD, arena_cstr(&p->mem, path),
			       O_RDONLY | O_NONBLOCK | O_NOCTTY, 0);
	struct stat st;
	ssize_t got;
	char *to;

	if (fd < 0 || fstat(fd, &st) || !S_ISREG(st.st_mode) ||
	    st.st_size > PATTERNS_MAX_FILE_BYTES)
		return STR("");
	to = arena_alloc(&p->mem, (size_t)st.st_size + 1);
	got = fd_pread(fd, to, (size_t)st.st_size, 0);
	return str_make(to, got > 0 ? (size_t)got : 0);
}

static struct str trim(struct str s)
{
	while (s.len && memchr(" \t\r", s.ptr[0], 3))
		s = str_skip(s, 1);
	while (s.len && memchr(" \t\r", s.ptr[s.len - 1], 3))
		s.len--;
	return s;
}

static bool is_git_word(struct str s, const char *word)
{
	return s.len == strlen(word) && !strncasecmp(s.ptr, word, s.len);
}

/* A value of git's configuration: quotes, escapes and comments removed. */
static struct str config_value(struct policy *p, struct str s)
{
	char *to = arena_alloc(&p->mem, s.len + 1);
	bool quoted = false;
	size_t n = 0;

	for (size_t i = 0; i < s.len; i++) {
		char c = s.ptr[i];

		if (!quoted && (c == '#' || c == ';'))
			break;
		if (c == '"')
			quoted = !quoted;
		else if (c == '\\' && i + 1 < s.len)
			to[n++] = s.ptr[++i];
		else
			to[n++] = c;
	}
	return trim(str_make(to, n));
}

/* core.excludesFile in the text of a git configuration; the last counts. */
static struct str excludes_file(struct policy *p, struct str text)
{
	struct str found = STR(""), line;
	bool core = false;

	while (text.len && str_split(&text, '\n', &line)) {
		size_t sign;

		line = trim(line);
		sign = str_find(line, '=');
		if (str_starts(line, STR("[")))
			core = is_git_word(str_sub(line, 1,
						   str_find(line, ']')),
					   "core");
		else if (core && sign < line.len &&
			 is_git_word(trim(str_head(line, sign)),
				     "excludesfile"))
			found = config_value(p, str_skip(line, sign + 1));
	}
	return found;
}

/* "~/x" in a value of git's configuration. */
static struct str at_home(struct policy *p, struct str path)
{
	if (!str_starts(path, STR("~/")))
		return path;
	return path_join(&p->mem, p->home, str_skip(path, 2));
}

static struct str excludes_path(struct policy *p)
{
	struct str xdg = str_of(getenv("XDG_CONFIG_HOME")), path;

	if (!str_starts(xdg, STR("/")))
		xdg = path_join(&p->mem, p->home, STR(".config"));
	path = excludes_file(p, read_own(p, path_join(&p->mem, p->home,
						      STR(".gitconfig"))));
	if (!path.len)
		path = excludes_file(p,
				     read_own(p, path_join(&p->mem, xdg,
							   STR("git/config"))));
	if (!path.len)
		return path_join(&p->mem, xdg, STR("git/ignore"));
	return at_home(p, path);
}

static void add_list(struct policy *p, struct policy_generation *m,
		     enum git_above_kind kind, struct str dir,
		     struct ignore_list list)
{
	*arena_add(&p->mem, m->git_above, m->rules.git_above_count) =
		(struct git_above){ kind, dir, list };
}

static void add_person_excludes(struct policy *p, struct policy_generation *m)
{
	struct ignore_list list = { 0 };
	struct str path, text;

	if (!str_starts(p->home, STR("/")))
		return;
	path = excludes_path(p);
	text = str_starts(path, STR("/")) ? read_own(p, path) : STR("");
	if (text.len && ignore_parse(text, &p->mem, &list) == IGNORE_OK)
		add_list(p, m, GIT_ABOVE_PERSON, STR(""), list);
}

static bool is_top(struct policy *p, struct str dir)
{
	struct str git = path_join(&p->mem, dir, STR(".git"));
	struct stat st;

	return !fstatat(AT_FDCWD, arena_cstr(&p->mem, git), &st,
			AT_SYMLINK_NOFOLLOW) &&
	       !S_ISLNK(st.st_mode);
}

/* The ignore files from @top down to the directory above @root. */
static void add_repository(struct policy *p, struct policy_generation *m,
			   struct str top, const struct str *dirs, size_t n)
{
	struct ignore_above file = { 0 };
	struct str git = path_join(&p->mem, top, STR(".git"));

	*arena_add(&p->mem, m->git_tops, m->rules.git_top_count) = top;
	if (enclosing_ignore(&p->read, git, "info/exclude", &file) &&
	    !file.unusable.len)
		add_list(p, m, GIT_ABOVE_EXCLUDE, top, file.list);
	while (n--)
		if (enclosing_ignore(&p->read, dirs[n], ".gitignore", &file) &&
		    !file.unusable.len)
			add_list(p, m, GIT_ABOVE_IGNORE, dirs[n], file.list);
}

static bool is_in_other(struct str root, const struct str *roots, size_t n)
{
	struct str rest;

	for (size_t i = 0; i < n; i++)
		if (path_beneath(root, roots[i], &rest) && rest.len)
			return true;
	return false;
}

static bool has_top(const struct policy_generation *m, struct str top)
{
	for (size_t i = 0; i < m->rules.git_top_count; i++)
		if (str_eq(m->git_tops[i], top))
			return true;
	return false;
}

void policy_read_git(struct policy *p, struct policy_generation *m,
		     const struct str *roots, size_t n)
{
	struct str dirs[ENCLOSING_MAX_DIRS];
	size_t count;

	add_person_excludes(p, m);
	for (size_t i = 0; i < n; i++) {
		if (is_in_other(roots[i], roots, n) || is_top(p, roots[i]) ||
		    !enclosing_dirs(roots[i], policy_real_home(p), &p->mem,
				    dirs, &count))
			continue;
		for (size_t k = 0; k < count; k++) {
			if (!is_top(p, dirs[k]))
				continue;
			if (!has_top(m, dirs[k]))
				add_repository(p, m, dirs[k], dirs, k + 1);
			break;
		}
	}
}
