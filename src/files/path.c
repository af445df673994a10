#include "files/path.h"

#include "base/buf.h"

bool path_absolute(struct str path)
{
	return path.len && path.ptr[0] == '/' &&
	       str_find(path, '\0') == path.len;
}

bool path_next(struct str *rest, struct str *name)
{
	const char *p = rest->ptr, *end = p + rest->len, *start;

	/* Names are short: no call for each, as every call asks for many. */
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

/* Of a name: no slash, and nothing that may be a "." on its own. */
static bool is_letter(char c)
{
	return c != '/' && c != '.';
}

/*
 * Mostly both are written the short way: then the first byte that differs
 * tells. Only what it does not tell is taken apart.
 */
bool path_has(struct str path, const char *name)
{
	struct str next;

	while (path_next(&path, &next))
		if (str_is(next, name))
			return true;
	return false;
}

bool path_beneath(struct str path, struct str dir, struct str *rest)
{
	size_t i = 0, n = size_min(path.len, dir.len);
	struct str want, have;

	while (i < n && path.ptr[i] == dir.ptr[i])
		i++;
	if (i < n && is_letter(path.ptr[i]) && is_letter(dir.ptr[i]))
		return false;
	if (i == dir.len && (i == path.len || path.ptr[i] == '/')) {
		path = str_skip(path, i);
		dir = STR("");
	}
	while (path_next(&dir, &want))
		if (!path_next(&path, &have) || !str_eq(want, have))
			return false;
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

static struct str without_slashes(struct str path)
{
	while (path.len && path.ptr[path.len - 1] == '/')
		path.len--;
	return path;
}

struct str path_cut(struct str path)
{
	size_t slash;

	path = without_slashes(path);
	slash = str_rfind(path, '/');
	return without_slashes(slash < path.len ? str_head(path, slash)
						: STR(""));
}
