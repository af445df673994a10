/*
 * types.c - file types by name: see types.def.
 */
#include "tools/find/types.h"

#include "text/pattern/glob.h"

static const struct file_type types[] = {
#define TYPE(name, patterns) { STR_INIT(name), STR_INIT(patterns) },
#include "tools/find/types.def"
#undef TYPE
};

enum { NEAREST = 3, MAX_DISTANCE = 8 };

/* The names that differ least from @name, as "c, cpp, cs". */
static struct str nearest_types(struct str name, struct arena *mem)
{
	struct str found[NEAREST];
	auto_buf out = BUF_INIT;
	size_t n = 0;

	for (size_t d = 0; d <= MAX_DISTANCE && n < NEAREST; d++)
		for (size_t i = 0; i < COUNT_OF(types) && n < NEAREST; i++)
			if (str_distance(name, types[i].name, MAX_DISTANCE) ==
			    d)
				found[n++] = types[i].name;
	for (size_t i = 0; i < n; i++)
		buf_addf(&out, "%s" STR_FMT,
			 i ? ", " : "Nearest: ", STR_ARG(found[i]));
	return arena_copy(mem, buf_str(&out));
}

enum err file_type_named(struct str name, struct arena *mem,
			 const struct file_type **ret, struct fault *f)
{
	for (size_t i = 0; i < COUNT_OF(types); i++) {
		if (str_eq(name, types[i].name)) {
			*ret = &types[i];
			return ERR_OK;
		}
	}
	return fail(f, ERR_NO_TYPE, .name = name,
		    .hint = nearest_types(name, mem));
}

static bool pattern_fits(struct str pattern, struct str name)
{
	struct str end = str_skip(pattern, 1);

	if (pattern.ptr[0] == '*' && end.len && end.ptr[0] == '.' &&
	    str_find(end, '*') == end.len && str_find(end, '[') == end.len &&
	    str_find(end, '{') == end.len && str_find(end, '?') == end.len)
		return str_ends(name, end);
	return glob_match(pattern, name, GLOB_BRACES);
}

bool file_type_fits(const struct file_type *type, struct str name)
{
	struct str rest = type->patterns, pattern;

	while (str_split(&rest, ' ', &pattern))
		if (pattern.len && pattern_fits(pattern, name))
			return true;
	return false;
}
