/*
 * scope.c - where a search takes place: the base directory, the paths that
 * callers give, and the names that results have.
 *
 * Paths are text here; what they lead to is decided by ws_tree() alone.
 */
#include "tools/find/scope.h"

#include "files/path.h"
#include "text/encoding/utf8.h"
#include "tools/permissions/gate.h"

#include <stdlib.h>

struct str find_base_of(struct workspace *ws, const struct find_options *o,
			struct arena *mem, size_t *ret_roots)
{
	const struct str *roots = ws_roots(ws, mem, ret_roots);
	struct str here = o->start, rest;

	for (size_t i = 0; i < *ret_roots; i++)
		if (here.len && path_beneath(here, roots[i], &rest))
			return here;
	return *ret_roots ? roots[0] : STR("");
}

struct str find_base(struct call *c, size_t *ret_roots)
{
	return find_base_of(c->ws, &c->options->find, c->mem, ret_roots);
}

/* "C:\x" and "C:/x" are paths of another system. */
static bool is_windows_path(struct str path)
{
	char c = path.len ? (char)(path.ptr[0] | 0x20) : '\0';

	return path.len > 2 && c >= 'a' && c <= 'z' && path.ptr[1] == ':' &&
	       (path.ptr[2] == '\\' || path.ptr[2] == '/');
}

enum err find_absolute(struct call *c, struct str path, struct str *ret)
{
	struct str base, home = str_of(getenv("HOME"));
	size_t roots;

	if (is_windows_path(path))
		return fail(c->fault, ERR_NOT_ALLOWED, .path = path);
	if (str_starts(path, STR("/"))) {
		*ret = path;
		return ERR_OK;
	}
	base = find_base(c, &roots);
	if (str_is(path, "~") || str_starts(path, STR("~/"))) {
		base = home;
		path = str_skip(path, 2);
	}
	if (!str_starts(base, STR("/")))
		return fail(c->fault, ERR_NOT_ABSOLUTE, .path = path);
	*ret = arena_join(c->mem, (const struct str[]){ base, STR("/"), path },
			  3);
	return ERR_OK;
}

static bool is_control(uint32_t code)
{
	return code < 0x20 || (code >= 0x7f && code < 0xa0);
}

/* Most names are printable ASCII. */
static bool is_plain(struct str s)
{
	for (size_t i = 0; i < s.len; i++)
		if ((unsigned char)s.ptr[i] < 0x20 ||
		    (unsigned char)s.ptr[i] >= 0x7f)
			return false;
	return true;
}

struct str find_escape(struct str path, struct arena *mem)
{
	static const char hex[] = "0123456789abcdef";
	char *to, *at;
	size_t len;

	if (is_plain(path))
		return path;
	at = to = arena_alloc(mem, 4 * path.len + 1);
	for (; path.len; path = str_skip(path, len)) {
		uint32_t code = utf8_any(path, &len);
		bool shown = code < UTF8_NOT && !is_control(code);

		for (size_t i = 0; i < len; i++) {
			unsigned char byte = (unsigned char)path.ptr[i];

			if (shown) {
				*at++ = (char)byte;
				continue;
			}
			*at++ = '\\';
			*at++ = 'x';
			*at++ = hex[byte >> 4];
			*at++ = hex[byte & 15];
		}
	}
	return str_make(to, (size_t)(at - to));
}

struct str find_shown(const struct find *find, const struct find_start *start,
		      struct str dir_key, struct str name, struct arena *mem)
{
	struct str top = start->place.key, below = STR(""), full, rest;

	if (find->one_file)
		name = STR("");
	else if (dir_key.len > top.len)
		below = str_skip(dir_key, str_is(top, "/") ? 1 : top.len + 1);
	full = start->path;
	if (below.len || name.len)
		full = arena_join(mem,
				  (const struct str[]){
					  str_is(full, "/") ? STR("") : full,
					  below.len ? STR("/") : STR(""), below,
					  name.len ? STR("/") : STR(""), name },
				  5);
	if (!find->absolute && path_beneath(full, find->base, &rest))
		full = rest;
	return find_escape(full, mem);
}

struct str find_relative_hint(struct call *c, struct str path)
{
	struct fault ignored;
	struct file_info info;
	struct str full;
	size_t roots;

	if (!path.len || str_find(path, '\0') < path.len ||
	    path_has(path, ".."))
		return STR("");
	full = find_base(c, &roots);
	if (!full.len)
		return STR("");
	full = path_join(c->mem, full, path);
	if (gate_hides(c, full, full) || !c->ws->ops->stat ||
	    ws_stat(c->ws, full, c->mem, &info, &ignored) || !info.exists ||
	    gate_hides(c, full, info.key))
		return STR("");
	return find_escape(full, c->mem);
}
