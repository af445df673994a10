/* read_repo_file - a file of the repository, unless its name is blocked. */

#include "files/path.h"
#include "tools/repo.h"
#include "tools/result.h"
#include "tools/textfile.h"

enum { MOST = 1024 * 1024 };

struct read_args {
	struct str path;
};

struct read_out {
	struct str content, path;
	int64_t size;
};

/* Faults name the path as the caller did, and never say where a link leads. */
static enum err named(struct call *c, enum err e)
{
	const struct read_args *a = c->args;

	if (e == ERR_NOT_ALLOWED || (c->fault->reason && e == ERR_DENIED))
		return fail(c->fault, ERR_NOT_ALLOWED, .path = a->path);
	c->fault->path = a->path;
	return e;
}

/* Links have been followed: is that still within, and not blocked? */
static bool is_within(struct str root, struct str key)
{
	struct str rest;

	return path_beneath(key, root, &rest) && !repo_blocks(rest);
}

/*
 * The names of what was loaded, or could not be, are judged before anything is
 * said of it: what is blocked is not even said to be too large.
 */
static enum err load(struct call *c, struct str root, struct str path,
		     struct textfile *ret)
{
	enum err e = change_load(c, path, MOST, &ret->snap);

	if (e != ERR_LATER && ret->snap.key.len &&
	    !is_within(root, ret->snap.key))
		return fail(c->fault, ERR_NOT_ALLOWED, .path = path);
	if (e)
		return e;
	if (textfile_show(c, path, ret))
		return fail(c->fault, ERR_BINARY_READ, .path = path);
	if (result_cost(c->options->results, ret->shown.text) > result_room(c))
		return fail(
			c->fault, ERR_TOO_LARGE, .bytes = ret->snap.bytes.len,
			.limit = result_room(c),
			.hint = STR(
				"It is more than one reply can carry. Read it in parts with read_text_file"));
	return ERR_OK;
}

static enum err read_run(struct call *c)
{
	const struct read_args *a = c->args;
	struct str root = repo_root(c), path;
	struct read_out *out = c->out;
	struct textfile file = { 0 };
	enum err e;

	if (!repo_path(c->mem, a->path, &path) || !root.len)
		return fail(c->fault, ERR_NOT_ALLOWED, .path = a->path);
	e = load(c, root, path_join(c->mem, root, path), &file);
	if (e)
		return e == ERR_LATER ? e : named(c, e);
	change_has_read(c, &file.snap);
	out->content = file.shown.text;
	out->path = path;
	out->size = (int64_t)file.snap.bytes.len;
	c->say = file.shown.text;
	return ERR_OK;
}

static const struct field fields[] = {
	{ "path", FIELD_STR, .required = true,
	  .offset = offsetof(struct read_args, path),
	  .doc = "Relative path from repo root",
	  .pattern = "^[a-zA-Z0-9_./-]+$" },
	FIELDS_END,
};

static const struct field out[] = {
	{ "content", FIELD_STR, .required = true,
	  .offset = offsetof(struct read_out, content),
	  .doc = "File contents" },
	{ "path", FIELD_STR, .required = true,
	  .offset = offsetof(struct read_out, path), .doc = "Normalized path" },
	{ "size", FIELD_INT, .offset = offsetof(struct read_out, size),
	  .doc = "File size in bytes" },
	FIELDS_END,
};

static const char *const constraints[] = {
	"Allowed paths: only within the repository root, which is the first root",
	"Blocked, in any case and in any part of the path: .., .git, .env*, *.env, *secret*, *credential*, *.key, *.pem",
	"The same is asked again of the path to which symbolic links lead",
	"Size limit: 1048576 bytes",
	"Read-only: cannot modify files",
	NULL,
};

static const struct tool_example examples[] = {
	{ "What was noted so far",
	  "{\"path\":\".claude/memory/progress_log.jsonl\"}",
	  "{\"content\":\"{\\\"timestamp\\\": \\\"2026-01-01T10:00:00Z\\\"}\\n\",\"path\":\".claude/memory/progress_log.jsonl\",\"size\":38}" },
	{ NULL },
};

const struct tool tool_read_repo_file = {
	.name = "read_repo_file",
	.title = "Read repository file",
	.doc = "Read repository file. Read a file from the repository within safe boundaries.",
	.family = "repo",
	.kind = "read",
	.fields = fields,
	.out = out,
	.args_size = sizeof(struct read_args),
	.out_size = sizeof(struct read_out),
	.effects = TOOL_READS,
	.run = read_run,
	.constraints = constraints,
	.examples = examples,
};
