/*
 * t_write_memory_entry.c - the tool write_memory_entry: appends one entry to a
 * memory file.
 *
 * Only the three files of the contract, never through a symlink in their
 * place.
 */
#include "files/path.h"
#include "tools/change/change.h"
#include "tools/handlers/repo.h"
#include "tools/permissions/secret_scan.h"
#include "tools/reading/textfile.h"

enum { MOST_BYTES = 10 * 1024 };

struct memory_args {
	struct str file, entry;
};

struct memory_out {
	bool success;
	struct str file;
	int64_t bytes_written;
	bool repaired;
};

/* Without the line break at its end. */
static struct str without_end(struct str entry)
{
	if (str_ends(entry, STR("\n")))
		entry.len--;
	if (str_ends(entry, STR("\r")))
		entry.len--;
	return entry;
}

/*
 * JSON on one line: a raw line break can only be between tokens, where a space
 * means the same.
 */
static enum err entry_json(struct call *c, struct str entry, struct str *ret)
{
	const struct json_limits limits = { 0 };
	struct json_error error;
	struct json value;
	char *to;

	if (json_parse(entry, &limits, c->mem, &value, &error))
		return fail(c->fault, ERR_BAD_ARGS,
			    .text = arena_printf(c->mem,
						 "Invalid JSON: %s at byte %zu",
						 error.why, error.offset));
	entry = without_end(entry);
	to = arena_alloc(c->mem, entry.len + 1);
	for (size_t i = 0; i < entry.len; i++) {
		char byte = entry.ptr[i];

		to[i] = byte == '\n' || byte == '\r' ? ' ' : byte;
	}
	to[entry.len] = '\n';
	*ret = str_make(to, entry.len + 1);
	return ERR_OK;
}

/* Unchanged, with a newline at the end. */
static struct str entry_text(struct call *c, struct str entry)
{
	char *to;

	if (str_ends(entry, STR("\n")))
		return entry;
	to = arena_alloc(c->mem, entry.len + 1);
	memcpy(to, entry.ptr, entry.len);
	to[entry.len] = '\n';
	return str_make(to, entry.len + 1);
}

static enum err entry_encode(struct call *c, struct str *ret)
{
	const struct memory_args *a = c->args;
	const char *secret =
		c->options->refuse_secrets ? secret_scan(a->entry) : NULL;

	if (!a->entry.len)
		return fail(c->fault, ERR_BAD_ARGS,
			    .text = STR("entry parameter is required"));
	if (a->entry.len > MOST_BYTES)
		return fail(c->fault, ERR_ENTRY_TOO_LARGE,
			    .bytes = a->entry.len, .limit = MOST_BYTES);
	if (secret)
		return fail(c->fault, ERR_SECRET, .text = str_of(secret));
	if (str_ends(a->file, STR(".jsonl")))
		return entry_json(c, a->entry, ret);
	*ret = entry_text(c, a->entry);
	return ERR_OK;
}

/* The memory directory: relative to the first root, unless absolute. */
static struct str memory_dir(struct call *c)
{
	const char *given = c->options->memory_dir;
	struct str dir = given ? str_of(given) : STR(".claude/memory");

	if (str_starts(dir, STR("/")))
		return path_join(c->mem, STR("/"), dir);
	return path_join(c->mem, repo_root(c), dir);
}

/* Check path and permission before the person is asked. */
static enum err entry_check_place(struct call *c, struct str dir,
				  struct str path, struct file_info *ret)
{
	const struct memory_args *a = c->args;
	struct file_info above;
	enum err e = ws_stat(c->ws, dir, c->mem, &above, c->fault);

	if (!e)
		e = ws_stat(c->ws, path, c->mem, ret, c->fault);
	if (!e)
		e = file_read_check_access(c, path, ret->key);
	if (e)
		return e;
	if (!str_eq(ret->key, path_join(c->mem, above.key, a->file)))
		return fail(c->fault, ERR_DENIED, .path = path,
			    .reason = "symlink");
	if (ret->exists && !ret->is_file)
		return fail(c->fault, ERR_NOT_A_FILE, .path = path);
	return ERR_OK;
}

/* if_version: the entry may depend on those that the caller has read. */
static enum err check_version(struct call *c, struct str path, struct str key)
{
	struct snapshot snap = { 0 };
	enum err e;

	if (!c->guard.if_version.len)
		return ERR_OK;
	e = ws_load(c->ws, path, c->options->max_file, &c->progress, c->mem,
		    &snap, c->fault);
	if (!e)
		e = file_read_check_access(c, path, snap.key);
	if (e && e != ERR_NOT_FOUND)
		return e;
	if (!e && !str_eq(snap.key, key))
		return fail(c->fault, ERR_CHANGED, .path = path);
	return textfile_guard(c, path, &snap);
}

static enum err entry_append(struct call *c, struct str path,
			     const struct file_info *info, struct str bytes,
			     struct appended *ret)
{
	const struct addition addition = {
		.path = path,
		.info = info,
		.want = { .bytes = bytes,
			  .parents = true,
			  .newline = STR("\n"),
			  .eol = STR("\n"),
			  .no_follow = true,
			  .progress = &c->progress },
		.summary = arena_printf(c->mem, "append %zu bytes to " STR_FMT,
					bytes.len, STR_ARG(info->key)),
	};
	struct changed ignored;

	c->diff = bytes;
	return change_append(c, &addition, ret, &ignored);
}

static enum err entry_run(struct call *c)
{
	const struct memory_args *a = c->args;
	struct memory_out *out = c->out;
	struct str dir = memory_dir(c), bytes = STR("");
	struct str path = path_join(c->mem, dir, a->file);
	struct appended appended;
	struct file_info info;
	enum err e;

	e = entry_encode(c, &bytes);
	if (!e)
		e = entry_check_place(c, dir, path, &info);
	if (!e)
		e = check_version(c, path, info.key);
	if (!e)
		e = entry_append(c, path, &info, bytes, &appended);
	if (e)
		return e;
	out->success = true;
	out->file = a->file;
	out->bytes_written = (int64_t)appended.written;
	out->repaired = appended.completed;
	c->say = arena_printf(
		c->mem, "Appended %llu bytes to " STR_FMT "%s",
		(unsigned long long)appended.written, STR_ARG(a->file),
		appended.completed
			? ", after completing its last line with a newline"
			: "");
	return ERR_OK;
}

static const char *const files[] = {
	"progress_log.jsonl",
	"decisions.jsonl",
	"best_practices.md",
	NULL,
};

static const struct field fields[] = {
	{ "file", FIELD_STR, .required = true,
	  .offset = offsetof(struct memory_args, file),
	  .doc = "Target memory file", .choices = files },
	{ "entry", FIELD_STR, .required = true,
	  .offset = offsetof(struct memory_args, entry),
	  .doc = "Content to append", .max_length = 10000 },
	FIELDS_END,
};

static const struct field out[] = {
	{ "success", FIELD_BOOL, .required = true,
	  .offset = offsetof(struct memory_out, success),
	  .doc = "Always true; failures are errors" },
	{ "file", FIELD_STR, .required = true,
	  .offset = offsetof(struct memory_out, file),
	  .doc = "The memory file" },
	{ "bytes_written", FIELD_INT,
	  .offset = offsetof(struct memory_out, bytes_written),
	  .doc = "Number of bytes appended" },
	{ "repaired", FIELD_BOOL,
	  .offset = offsetof(struct memory_out, repaired),
	  .doc = "The last line of the file lacked a newline, which was added first" },
	FIELDS_END,
};

static const char *const constraints[] = {
	"Append-only: cannot overwrite or delete; each entry is one write at the end, under a lock",
	"Allowed files: only the three listed, in .claude/memory beneath the first root (or --memory-dir); never through a symbolic link in their place",
	"Format: in .jsonl files the entry must be valid JSON and becomes one line; in .md files it is appended as it is, with a newline at its end",
	"Size limit: 10000 characters and 10240 bytes per entry",
	"With --refuse-secrets: an entry that seems to contain a key or token is refused",
	"Requires approval: nothing is written unless the user approves, or has started stet with --approve=write_memory_entry",
	NULL,
};

static const struct tool_example examples[] = {
	{ "A milestone",
	  "{\"file\":\"progress_log.jsonl\",\"entry\":\"{\\\"timestamp\\\": \\\"2026-01-15T10:00:00Z\\\", \\\"event\\\": \\\"milestone\\\", \\\"description\\\": \\\"Completed EDA\\\"}\"}",
	  "{\"success\":true,\"file\":\"progress_log.jsonl\",\"bytes_written\":92}" },
	{ NULL },
};

const struct tool tool_write_memory_entry = {
	.name = "write_memory_entry",
	.title = "Append to memory file",
	.doc = "Append to memory file. Append an entry to a memory file. Append-only operation.",
	.families = { "repo" },
	.kind = "edit",
	.fields = fields,
	.out = out,
	.args_size = sizeof(struct memory_args),
	.out_size = sizeof(struct memory_out),
	.effects = TOOL_APPENDS,
	.asks = true,
	.run = entry_run,
	.constraints = constraints,
	.examples = examples,
};
