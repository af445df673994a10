/*
 * grant_words.c - the reach of a grant as a sentence: files, client, end, and
 * exceptions. Pure.
 */
#include "tools/permissions/grant_words.h"

#include "store/client_name.h"
#include "tools/permissions/gate.h"

static struct str base_name(struct str path)
{
	size_t slash = str_rfind(path, '/');

	return slash < path.len ? str_skip(path, slash + 1) : path;
}

static struct str path_from(struct str path, struct str base)
{
	if (!base.len || !str_starts(path, base))
		return path;
	return str_skip(path, base.len);
}

/* "src/"; for the only root, its name. */
static struct str directory_from(struct str path, struct str base,
				 struct arena *mem)
{
	struct str dir = path;

	while (dir.len && dir.ptr[dir.len - 1] == '/')
		dir.len--;
	if (base.len && str_starts(base, dir) && base.len == dir.len + 1)
		dir = base_name(dir);
	else
		dir = path_from(dir, base);
	return arena_printf(mem, STR_FMT "/", STR_ARG(dir));
}

/* All of them: what is granted is never shown shortened. */
static struct str every_file_of(const struct grant *g, struct str base,
				struct arena *mem)
{
	auto_buf out = BUF_INIT;

	for (size_t i = 0; i < g->file_count; i++) {
		buf_add(&out, i ? STR(", ") : STR(""));
		buf_add(&out, path_from(g->files[i].path, base));
		if (!g->files[i].from.len)
			continue;
		buf_lit(&out, ", ");
		buf_add(&out, path_from(g->files[i].from, base));
	}
	return arena_copy(mem, buf_str(&out));
}

static struct str files_of(const struct grant *g, struct str base,
			   struct arena *mem)
{
	const char *verb = g->changes ? "change" : "read";
	struct str dir =
		directory_from(g->path.len ? g->path : g->root, base, mem);

	if (g->reach == GRANT_FILE)
		return arena_printf(mem, "%s " STR_FMT, verb,
				    STR_ARG(g->file_count
						    ? every_file_of(g, base,
								    mem)
						    : path_from(g->path,
								base)));
	if (!g->tool.len)
		return arena_printf(mem, "%s every file in " STR_FMT, verb,
				    STR_ARG(dir));
	return arena_printf(mem, "use " STR_FMT " on every file in " STR_FMT,
			    STR_ARG(g->tool), STR_ARG(dir));
}

static struct str client_of(const struct grant *g, struct arena *mem)
{
	if (!g->client.len)
		return client_unnamed();
	if (!g->declared)
		return g->client;
	return arena_printf(mem, STR_FMT " (declared name)",
			    STR_ARG(client_name(g->client, mem)));
}

static struct str ends_of(const struct grant *g, struct str until,
			  struct arena *mem)
{
	if (!g->session.len)
		return until.len ? arena_printf(mem, "until " STR_FMT,
						STR_ARG(until))
				 : STR("until you revoke it");
	if (!until.len)
		return STR("while its session lasts, 24 h at most");
	return arena_printf(mem,
			    "while its session lasts, until " STR_FMT
			    " at the latest",
			    STR_ARG(until));
}

/* The grant covers a sensitive file only if it was given for that file. */
static bool asked_is_sensitive(const struct grant *g, struct arena *mem)
{
	struct action action = { 0 };

	action_place(&action, g->asked, g->asked, &g->root, 1, mem);
	return gate_is_sensitive(&action, &g->root, 1);
}

static struct str except_of(const struct grant *g, struct str base,
			    struct arena *mem)
{
	if (g->reach == GRANT_FILE)
		return STR("");
	if (!g->asked.len || !asked_is_sensitive(g, mem))
		return STR("but no sensitive file");
	return arena_printf(mem, "of sensitive files only " STR_FMT,
			    STR_ARG(path_from(g->asked, base)));
}

void grant_words(const struct grant *g, struct str base, struct str until,
		 struct arena *mem, struct grant_words *ret)
{
	*ret = (struct grant_words){
		.files = files_of(g, base, mem),
		.client = client_of(g, mem),
		.ends = ends_of(g, until, mem),
		.except = except_of(g, base, mem),
	};
}

struct str grant_sentence(const struct grant_words *w, struct arena *mem)
{
	return arena_printf(mem,
			    STR_FMT " · " STR_FMT " · " STR_FMT "%s" STR_FMT,
			    STR_ARG(w->files), STR_ARG(w->client),
			    STR_ARG(w->ends), w->except.len ? " · " : "",
			    STR_ARG(w->except));
}

struct str grant_base(struct str root, const struct str *roots, size_t n,
		      struct arena *mem)
{
	size_t i = 0;

	while (i < n && !str_eq(roots[i], root))
		i++;
	if (i == n)
		return STR("");
	if (n > 1)
		return str_head(root, root.len - base_name(root).len);
	return arena_printf(mem, STR_FMT "/", STR_ARG(root));
}

bool grant_is_widest(const struct grant *g)
{
	return g->reach == GRANT_SESSION || g->reach == GRANT_ALWAYS ||
	       (g->reach == GRANT_DIRECTORY && str_eq(g->path, g->root));
}

const char *grant_given(const struct grant *g)
{
	static const struct {
		const char *channel, *words;
	} rows[] = {
		{ "page", "on the page" },
		{ "terminal", "on the command line" },
		{ "dialog", "in the client's dialog" },
	};

	for (size_t i = 0; i < COUNT_OF(rows); i++)
		if (str_is(g->channel, rows[i].channel))
			return rows[i].words;
	return "";
}
