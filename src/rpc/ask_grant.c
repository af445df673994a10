/*
 * ask_grant.c - turns an answer into a grant: for which client, which files
 * and tools, and until when. No access to the store.
 */
#include "rpc/ask_grant.h"

#include "base/clock.h"
#include "files/path.h"

/* The longest that a grant for a session holds. */
static const uint64_t SESSION_MOST_MS = 24 * 3600 * 1000ULL;

static struct str directory_of(struct str path)
{
	size_t slash = str_rfind(path, '/');

	return str_head(path, slash && slash < path.len ? slash : 1);
}

/* The directory that all files of the question are in. */
static struct str directory_of_all(const struct approval *a)
{
	struct str dir = directory_of(a->path), rest;

	for (size_t i = 0; i < a->file_count; i++)
		while (dir.len > 1 &&
		       (!path_beneath(a->files[i].path, dir, &rest) ||
			(a->files[i].from.len &&
			 !path_beneath(a->files[i].from, dir, &rest))))
			dir = directory_of(dir);
	return dir;
}

static bool in_one_root(const struct approval *a)
{
	for (size_t i = 0; i < a->file_count; i++)
		if (!str_eq(a->files[i].root, a->root))
			return false;
	return true;
}

static struct grant grant_of(enum ask_answer answer, const struct approval *a)
{
	struct grant g = { .reach = GRANT_ALWAYS,
			   .client = a->owner,
			   .declared = a->declared,
			   .root = a->root,
			   .asked = a->path,
			   .changes = a->changes };

	if (answer == ASK_FILE) {
		g.reach = GRANT_FILE;
		g.path = a->path;
		g.files = a->files;
		g.file_count = a->file_count;
	} else if (answer == ASK_DIRECTORY) {
		g.reach = GRANT_DIRECTORY;
		g.path = directory_of_all(a);
	} else {
		g.tool = a->tool;
	}
	if (answer == ASK_SESSION) {
		g.reach = GRANT_SESSION;
		g.session = a->session;
	}
	return g;
}

static struct str missing_for(enum ask_answer answer, const struct approval *a)
{
	if (answer == ASK_ONCE || answer == ASK_DENY)
		return STR("");
	if (!a->root.len)
		return STR(
			"the file is outside the roots: it can only be allowed once");
	if (answer != ASK_FILE && !in_one_root(a))
		return STR(
			"the files are in several roots: they can be allowed once, or each file");
	if (answer == ASK_SESSION)
		return a->session.len
			       ? STR("")
			       : STR("the client has no session: allow once, file, directory or always");
	return a->owner.len
		       ? STR("")
		       : STR("the client has no name, so a grant could not be limited to it: allow once or session");
}

struct str ask_grant_of(enum ask_answer answer, const struct approval *a,
			struct grant *ret)
{
	*ret = grant_of(answer, a);
	return missing_for(answer, a);
}

void ask_grant_set_end(struct grant *g, uint64_t for_ms)
{
	if (g->session.len && (!for_ms || for_ms > SESSION_MOST_MS))
		for_ms = SESSION_MOST_MS;
	g->until_ms = for_ms ? clock_unix_ms() + for_ms : 0;
}
