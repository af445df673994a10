#include "tools/ignored.h"

#include "files/path.h"

enum { MOST_LEVELS = 64, MOST_BYTES = 1024 * 1024 };

#define NAMES ".stetignore", ".claudeignore", ".cursorignore", ".aiexclude"
const char *const ignore_file_names[] = { NAMES, NULL };
const char *const ignore_file_names_with_gitignore[] = { NAMES, ".gitignore",
							 NULL };
#undef NAMES

struct stack {
	struct workspace *ws;
	struct str root;
	const char *name;
	struct arena *mem;
	struct ignore_list lists[MOST_LEVELS];
	size_t n;
	struct str broken; /* a file that cannot be read */
};

static void add_file(struct stack *s, struct str dir)
{
	struct str path = arena_printf(s->mem, STR_FMT "/" STR_FMT "%s%s",
				       STR_ARG(s->root), STR_ARG(dir),
				       dir.len ? "/" : "", s->name);
	struct ignore_list *list = &s->lists[s->n];
	struct snapshot snap;
	struct fault f = { 0 };

	switch ((int)ws_load(s->ws, path, MOST_BYTES, NULL, s->mem, &snap,
			     &f)) {
	case ERR_OK:
		break;
	case ERR_NOT_FOUND:
	case ERR_NO_PARENT:
	case ERR_NOT_A_FILE:
	case ERR_IS_DIRECTORY:
		return;
	default:
		s->broken = path;
		return;
	}
	*list = (struct ignore_list){ .dir = dir, .source = path };
	ignore_parse(snap.bytes, s->mem, list);
	s->n++;
}

static struct str by_name(struct stack *s, struct str part)
{
	struct ignore_cause cause;

	if (!part.len)
		return STR("");
	s->n = 0;
	add_file(s, STR(""));
	for (size_t i = 0; i < part.len && s->n < MOST_LEVELS; i++)
		if (part.ptr[i] == '/')
			add_file(s, str_head(part, i));
	if (s->broken.len)
		return arena_printf(s->mem, STR_FMT " cannot be read",
				    STR_ARG(s->broken));
	if (!ignore_decide(s->lists, s->n, part, false, &cause))
		return STR("");
	return arena_printf(s->mem, STR_FMT ":%zu", STR_ARG(cause.list->source),
			    cause.rule->line);
}

/* Is there any of them on the way down? Mostly there is none. */
static bool has_any(struct stack *s, const char *const *names, struct str part)
{
	for (size_t i = 0; i < part.len; i++) {
		struct str dir = s->root;

		if (i && part.ptr[i] != '/')
			continue;
		if (i)
			dir = path_join(s->mem, dir, str_head(part, i));
		if (ws_present(s->ws, dir, names, s->mem).names)
			return true;
	}
	return false;
}

struct str ignored_by(const struct rules *r, struct workspace *ws,
		      const struct deed *d, struct arena *mem)
{
	struct stack s = { .ws = ws, .root = d->root, .mem = mem };
	struct str found = STR("");
	bool key, given;

	r = rules_now(r);
	if (!r->ignore_files || !d->root.len)
		return found;
	key = has_any(&s, r->ignore_files, d->key_part);
	s.root = d->path_root;
	given = d->part.len && !deed_same_name(d) &&
		has_any(&s, r->ignore_files, d->part);
	for (size_t i = 0; r->ignore_files[i] && !found.len; i++) {
		s.name = r->ignore_files[i];
		s.root = d->root;
		if (key)
			found = by_name(&s, d->key_part);
		s.root = d->path_root;
		if (!found.len && given)
			found = by_name(&s, d->part);
	}
	return found;
}
