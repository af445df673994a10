/*
 * t_read_repo_file.c - the tool read_repo_file: a file of the repository,
 * unless its name is blocked (repo.h).
 */
#include "files/path.h"
#include "tools/call/result.h"
#include "tools/handlers/repo.h"
#include "tools/reading/textfile.h"

enum { MOST = 1024 * 1024 };

struct read_repo_args {
	struct str path;
};

struct read_repo_out {
	struct str content, path;
	int64_t size;
};

/* Faults have the path of the caller, and never the target of a symlink. */
static enum err repo_fault(struct call *c, enum err e)
{
	const struct read_repo_args *a = c->args;

	if (e == ERR_NOT_ALLOWED || (c->fault->reason && e == ERR_DENIED))
		return fail(c->fault, ERR_NOT_ALLOWED, .path = a->path);
	c->fault->path = a->path;
	return e;
}

/* Symlinks are resolved: is it still in the repository, and not blocked? */
static bool is_within(struct str root, struct str key)
{
	struct str rest;

	return path_beneath(key, root, &rest) && !repo_blocks(rest);
}

/*
 * The key is checked before anything about the file is reported: a blocked file
 * is not even reported as too large.
 */
static enum err repo_load(struct call *c, struct str root, struct str path,
			  struct textfile *ret)
{
	enum err e = file_read_load(c, path, MOST, &ret->snap);

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
				"The file is too large for one reply. Read it in parts with read_text_file"));
	return ERR_OK;
}

static enum err read_run(struct call *c)
{
	const struct read_repo_args *a = c->args;
	struct str root = repo_root(c), path;
	struct read_repo_out *out = c->out;
	struct textfile file = { 0 };
	enum err e;

	if (!repo_path(c->mem, a->path, &path) || !root.len)
		return fail(c->fault, ERR_NOT_ALLOWED, .path = a->path);
	e = repo_load(c, root, path_join(c->mem, root, path), &file);
	if (e)
		return e == ERR_LATER ? e : repo_fault(c, e);
	file_read_record(c, &file.snap);
	out->content = file.shown.text;
	out->path = path;
	out->size = (int64_t)file.snap.bytes.len;
	c->say = file.shown.text;
	return ERR_OK;
}

static const struct field fields[] = {
	{ "path", FIELD_STR, .required = true,
	  .offset = offsetof(struct read_repo_args, path),
	  .doc = "Relative path from repo root",
	  .pattern = "^[a-zA-Z0-9_./-]+$" },
	FIELDS_END,
};

static const struct field out[] = {
	{ "content", FIELD_STR, .required = true,
	  .offset = offsetof(struct read_repo_out, content),
	  .doc = "File contents" },
	{ "path", FIELD_STR, .required = true,
	  .offset = offsetof(struct read_repo_out, path),
	  .doc = "Normalized path" },
	{ "size", FIELD_INT, .offset = offsetof(struct read_repo_out, size),
	  .doc = "File size in bytes" },
	FIELDS_END,
};

static const char *const constraints[] = {
	"Allowed paths: only within the repository root, which is the first root",
	"Blocked, in any case and in any part of the path: .., .git, .env*, *.env, *secret*, *credential*, *.key, *.pem",
	"The same is checked for the path after resolving symlinks",
	"Size limit: 1048576 bytes",
	"Read-only: cannot modify files",
	NULL,
};

static const struct tool_example examples[] = {
	{ "Read the progress log",
	  "{\"path\":\".claude/memory/progress_log.jsonl\"}",
	  "{\"content\":\"{\\\"timestamp\\\": \\\"2026-01-01T10:00:00Z\\\"}\\n\",\"path\":\".claude/memory/progress_log.jsonl\",\"size\":38}" },
	{ NULL },
};

const struct tool tool_read_repo_file = {
	.name = "read_repo_file",
	.title = "Read repository file",
	.doc = "Read repository file. Read a file from the repository within safe boundaries.",
	.families = { "repo" },
	.kind = "read",
	.fields = fields,
	.out = out,
	.args_size = sizeof(struct read_repo_args),
	.out_size = sizeof(struct read_repo_out),
	.effects = TOOL_READS,
	.run = read_run,
	.constraints = constraints,
	.examples = examples,
};
