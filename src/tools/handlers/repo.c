/*
 * repo.c - paths relative to the repository, and the names that read_repo_file
 * refuses.
 *
 * The blocked names are part of the contract of that tool; they are checked in
 * every directory of a path and without regard to case.
 */
#include "tools/handlers/repo.h"

#include "files/path.h"

enum where { WHOLE, START, END, ANYWHERE };

/* Blocked names, in lower case. */
static const struct {
	enum where where;
	const char *text;
} blocked[] = {
	{ WHOLE, ".." }, { WHOLE, ".git" },      { START, ".env" },
	{ END, ".env" }, { ANYWHERE, "secret" }, { ANYWHERE, "credential" },
	{ END, ".key" }, { END, ".pem" },
};

static char name_lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c + ('a' - 'A')) : c;
}

/* Does @name have @text at @at, ignoring case? */
static bool is_at(struct str name, size_t at, struct str text)
{
	if (at + text.len > name.len)
		return false;
	for (size_t i = 0; i < text.len; i++)
		if (name_lower(name.ptr[at + i]) != text.ptr[i])
			return false;
	return true;
}

static bool name_fits(struct str name, enum where where, struct str text)
{
	switch (where) {
	case WHOLE:
		return name.len == text.len && is_at(name, 0, text);
	case START:
		return is_at(name, 0, text);
	case END:
		return name.len >= text.len &&
		       is_at(name, name.len - text.len, text);
	case ANYWHERE:
		for (size_t at = 0; at + text.len <= name.len; at++)
			if (is_at(name, at, text))
				return true;
		return false;
	}
	return true;
}

static bool is_blocked(struct str name)
{
	for (size_t i = 0; i < COUNT_OF(blocked); i++)
		if (name_fits(name, blocked[i].where, str_of(blocked[i].text)))
			return true;
	return false;
}

bool repo_blocks(struct str path)
{
	struct str name;

	while (path_next(&path, &name))
		if (is_blocked(name))
			return true;
	return false;
}

bool repo_path(struct arena *mem, struct str path, struct str *ret)
{
	if (str_starts(path, STR("/")) || repo_blocks(path))
		return false;
	*ret = str_skip(path_join(mem, STR("/"), path), 1);
	if (!ret->len)
		*ret = STR(".");
	return true;
}

struct str repo_root(struct call *c)
{
	size_t n;
	const struct str *roots = ws_roots(c->ws, c->mem, &n);

	return n ? roots[0] : STR("");
}
