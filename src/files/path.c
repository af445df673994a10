/*
 * path.c - splitting, joining and comparing paths as text; no system calls.
 */
#include "files/path.h"

#include "base/buf.h"
#include "text/diff/common_prefix.h"

bool path_absolute(struct str path)
{
	return path.len && path.ptr[0] == '/' &&
	       str_find(path, '\0') == path.len;
}

bool path_next(struct str *rest, struct str *name)
{
	const char *p = rest->ptr, *end = p + rest->len, *start;

	/* Components are short: a loop is faster than memchr() for each. */
	do {
		while (p < end && *p == '/')
			p++;
		start = p;
		while (p < end && *p != '/')
			p++;
	} while (p == start + 1 && *start == '.');
	*name = str_make(start, (size_t)(p - start));
	*rest = str_make(p, (size_t)(end - p));
	return p > start;
}

/* Neither a separator nor part of a "." or ".." component. */
static bool is_ordinary(char c)
{
	return c != '/' && c != '.';
}

bool path_has(struct str path, const char *name)
{
	struct str next;

	while (path_next(&path, &next))
		if (str_is(next, name))
			return true;
	return false;
}

/*
 * Both paths are normalised in most cases: then the first byte that differs
 * decides. Only otherwise are they compared component by component.
 */
bool path_beneath(struct str path, struct str dir, struct str *rest)
{
	const size_t i = common_prefix(path, dir);
	struct str want, have;

	if (i < size_min(path.len, dir.len) && is_ordinary(path.ptr[i]) &&
	    is_ordinary(dir.ptr[i]))
		return false;
	if (i == dir.len && (i == path.len || path.ptr[i] == '/')) {
		path = str_skip(path, i);
	} else {
		while (path_next(&dir, &want))
			if (!path_next(&path, &have) || !str_eq(want, have))
				return false;
	}
	while (path.len && path.ptr[0] == '/')
		path = str_skip(path, 1);
	*rest = path;
	return true;
}

struct str path_join(struct arena *mem, struct str dir, struct str rest)
{
	char *to = arena_alloc(mem, dir.len + rest.len + 2);
	size_t least, len = dir.len;
	struct str name;

	memcpy(to, dir.ptr, dir.len);
	if (str_is(dir, "/"))
		len = 0;
	least = len;
	while (path_next(&rest, &name)) {
		if (str_is(name, "..")) {
			while (len > least && to[--len] != '/')
				;
			continue;
		}
		to[len++] = '/';
		memcpy(to + len, name.ptr, name.len);
		len += name.len;
	}
	if (!len)
		to[len++] = '/';
	to[len] = '\0';
	return str_make(to, len);
}

struct str path_parent(struct str path)
{
	size_t slash = str_rfind(path, '/');

	return slash ? str_head(path, slash) : STR("/");
}

static struct str strip_trailing_slashes(struct str path)
{
	while (path.len && path.ptr[path.len - 1] == '/')
		path.len--;
	return path;
}

struct str path_cut(struct str path)
{
	size_t slash;

	path = strip_trailing_slashes(path);
	slash = str_rfind(path, '/');
	return strip_trailing_slashes(slash < path.len ? str_head(path, slash)
						       : STR(""));
}
