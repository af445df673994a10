/*
 * t_apply_patch.c - the tool apply_patch: several files changed by one text, in
 * the format that Codex's models were trained on, all of them or none.
 */
#include "text/diff/unified.h"
#include "text/lines/lines.h"
#include "tools/call/result.h"
#include "tools/handlers/patch_files.h"

enum { PATCH_MOST_BYTES = 4 << 20 };

struct apply_args {
	struct str input;
	struct item_list versions; /* path, version, path, version */
};

struct applied_file {
	struct str path, action, from, version;
	int64_t added, removed;
};

/* What is true of the whole group. */
struct group_meta {
	struct str operation, kept, lost, history, hook;
	bool diff_cut;
};

struct apply_out {
	bool success;
	struct item_list files; /* of struct applied_file */
	struct str diff;
	struct group_meta meta;
};

/* The files that differ, in the order of the patch, and their changes. */
struct apply_work {
	struct call *call;
	struct patch_files files;
	const struct patch_file **changed;
	struct change *changes;
	struct changed *done;
	size_t n;
};

/* How many files @set names, as far as @most. */
static size_t count_paths(const struct changeset *set, size_t most,
			  struct arena *mem)
{
	struct str *seen = arena_array(mem, struct str, most);
	size_t n = 0;

	for (size_t i = 0; i < 2 * set->count && n < most; i++) {
		const struct changeset_section *s = &set->sections[i / 2];
		struct str path = i % 2 ? s->to : s->path;
		size_t j = 0;

		while (j < n && !str_eq(seen[j], path))
			j++;
		if (path.len && j == n)
			seen[n++] = path;
	}
	return n;
}

/* What can be refused before any file is looked at. */
static enum err read_patch(struct call *c, const struct apply_args *a,
			   struct changeset *ret)
{
	size_t n;
	enum err e;

	if (a->input.len > PATCH_MOST_BYTES)
		return fail(c->fault, ERR_PATCH_TOO_LARGE,
			    .bytes = a->input.len, .limit = PATCH_MOST_BYTES);
	e = changeset_parse(a->input, c->mem, ret, c->fault);
	if (e)
		return e;
	n = count_paths(ret, CHANGE_MOST_FILES + 1, c->mem);
	if (n > CHANGE_MOST_FILES)
		return fail(c->fault, ERR_MANY_FILES, .count = n,
			    .limit = CHANGE_MOST_FILES);
	if (n > 1 && c->guard.if_version.len)
		return fail(
			c->fault, ERR_BAD_ARGS,
			.text = STR(
				"if_version is for a patch of one file; if_versions has a version for each path"));
	return ERR_OK;
}

static struct change change_of(const struct patch_file *file, bool divisible)
{
	const struct patch_file *from = patch_file_from(file);
	struct change change = {
		.path = file->absolute,
		.before = file->existed ? &file->was.snap : NULL,
		.key = file->was.snap.key,
		.after = file->bytes,
		.encoding = file->encoding,
		.remove = !file->exists,
		.whole = file->whole,
		.parents = !file->existed,
		.divisible = divisible,
	};

	if (from)
		change.from = change.like = from->was.snap.key;
	return change;
}

static void note_same(struct buf *notes, const struct patch_file *file)
{
	buf_addf(notes, "%s" STR_FMT " is as it was.", notes->len ? "\n" : "",
		 STR_ARG(file->path));
}

/* One change for each file that differs. */
static void collect_changes(struct apply_work *w)
{
	const struct patch_files *p = &w->files;
	struct arena *mem = w->call->mem;

	w->changed = arena_array(mem, const struct patch_file *, p->count);
	w->changes = arena_array(mem, struct change, p->count);
	w->done = arena_array(mem, struct changed, p->count);
	for (size_t i = 0; i < p->count; i++) {
		if (patch_file_changed(p->files[i]))
			w->changed[w->n++] = p->files[i];
		else if (p->files[i]->existed)
			note_same(&w->files.notes, p->files[i]);
	}
	for (size_t i = 0; i < w->n; i++)
		w->changes[i] = change_of(w->changed[i],
					  /* divisible= */ w->n == 1);
}

enum apply_action { APPLY_ADD, APPLY_MODIFY, APPLY_DELETE, APPLY_GONE };

/* APPLY_GONE: the error names the file as it is called now. */
static enum apply_action action_of(const struct patch_files *p,
				   const struct patch_file *file)
{
	if (!file->exists)
		return patch_file_moved(p, file) ? APPLY_GONE : APPLY_DELETE;
	return file->existed || patch_file_from(file) ? APPLY_MODIFY
						      : APPLY_ADD;
}

/* "Success. Updated the following files:" as Codex's own tool says it. */
static struct str success_text(const struct apply_work *w)
{
	static const char letters[] = {
		[APPLY_ADD] = 'A', [APPLY_MODIFY] = 'M', [APPLY_DELETE] = 'D'
	};
	auto_buf out = BUF_INIT;

	buf_lit(&out, "Success. Updated the following files:\n");
	for (enum apply_action a = APPLY_ADD; a <= APPLY_DELETE; a++) {
		for (size_t i = 0; i < w->n; i++) {
			if (action_of(&w->files, w->changed[i]) != a)
				continue;
			buf_addf(&out, "%c ", letters[a]);
			buf_add(&out, w->changed[i]->path);
			buf_addc(&out, '\n');
		}
	}
	return arena_copy(w->call->mem, buf_str(&out));
}

/* The side of a diff: bytes where they are UTF-8, so that patch applies it. */
static struct str shown_side(struct call *c, struct str path, struct str bytes)
{
	struct textfile file = { .snap.bytes = bytes };

	if (textfile_show(c, path, &file))
		return STR("");
	if (encoding_is_utf8(file.in.encoding) && !file.shown.undecodable_count)
		return bytes;
	return file.shown.text;
}

/*
 * The file that the diff shows as renamed to @file. No program renames over a
 * file: that is shown as a deletion and a change.
 */
static const struct patch_file *renamed_from(const struct patch_file *file)
{
	return file->existed ? NULL : patch_file_from(file);
}

static bool is_renamed(const struct apply_work *w,
		       const struct patch_file *file)
{
	for (size_t i = 0; i < w->n; i++)
		if (renamed_from(w->changed[i]) == file)
			return true;
	return false;
}

/* The difference that change @i has made. */
static void diff_of(const struct apply_work *w, size_t i, struct diff *ret)
{
	struct call *c = w->call;
	const struct patch_file *file = w->changed[i];
	const struct patch_file *from = renamed_from(file);
	const struct changed *done = &w->done[i];
	struct str before = STR(""), after = STR("");

	if (!from && file->existed)
		from = file;
	if (from)
		before = shown_side(c, from->absolute, from->was.snap.bytes);
	if (file->exists)
		after = shown_side(c, file->absolute,
				   done->rewritten ? done->now.bytes
						   : file->bytes);
	diff_texts(before, after, c->mem, ret);
}

static struct unified_file names_of(const struct patch_file *file)
{
	const struct patch_file *from = renamed_from(file);

	return (struct unified_file){ .from = from ? from->path : file->path,
				      .to = file->path,
				      .existed = from || file->existed,
				      .exists = file->exists };
}

static struct applied_file told_file(const struct apply_work *w, size_t i,
				     const struct diff *diff)
{
	static const char *const names[] = { [APPLY_ADD] = "add",
					     [APPLY_MODIFY] = "update",
					     [APPLY_DELETE] = "delete",
					     [APPLY_GONE] = "" };
	const struct patch_file *file = w->changed[i];
	const struct patch_file *from = patch_file_from(file);
	struct applied_file told = {
		.path = file->path,
		.action = from ? STR("move")
			       : str_of(names[action_of(&w->files, file)]),
		.from = from ? from->path : STR(""),
	};

	if (file->exists)
		told.version =
			hash_text(w->done[i].stored.version, w->call->mem);
	for (size_t n = 0; n < diff->count; n++) {
		told.added += (int64_t)diff->changes[n].b_count;
		told.removed += (int64_t)diff->changes[n].a_count;
	}
	return told;
}

/* Drop lines from the end until the diff fits the reply. */
static struct str fit_diff(struct call *c, struct str diff, bool *cut)
{
	while (result_cost(c->options->results, diff) > result_room(c)) {
		diff = str_head(diff, diff.len / 2);
		diff = str_head(diff, str_rfind(diff, '\n') + 1);
		*cut = true;
	}
	return diff;
}

static void tell_files(const struct apply_work *w, struct apply_out *out)
{
	struct call *c = w->call;
	struct applied_file *files =
		arena_array(c->mem, struct applied_file, w->n);
	auto_buf text = BUF_UPTO(result_room(c));

	out->files.items = files;
	for (size_t i = 0; i < w->n; i++) {
		const struct patch_file *file = w->changed[i];
		const struct unified_file names = names_of(file);
		struct diff diff;

		if (is_renamed(w, file))
			continue;
		diff_of(w, i, &diff);
		if (action_of(&w->files, file) != APPLY_GONE)
			files[out->files.count++] = told_file(w, i, &diff);
		unified_print_file(&diff, &names, UNIFIED_CONTEXT, &text);
	}
	out->diff = buf_str(&text);
	if (text.full)
		out->diff = str_head(out->diff, str_rfind(out->diff, '\n') + 1);
	out->meta.diff_cut = text.full;
	out->diff =
		fit_diff(c, arena_copy(c->mem, out->diff), &out->meta.diff_cut);
}

static struct str first_of(struct str a, struct str b)
{
	return a.len ? a : b;
}

static void tell_meta(const struct apply_work *w, struct group_meta *meta)
{
	for (size_t i = 0; i < w->n; i++) {
		const struct changed *done = &w->done[i];

		meta->operation = first_of(meta->operation, done->op_text);
		meta->kept = first_of(meta->kept, done->stored.kept);
		meta->lost = first_of(meta->lost, done->stored.lost);
		meta->history = first_of(meta->history, done->not_kept);
		meta->hook = first_of(meta->hook, done->hook);
	}
}

/* What is said beside the first text, after what change_group() said there. */
static void tell_notes(struct call *c, struct str notes)
{
	if (c->also.len && notes.len)
		c->also = arena_printf(c->mem, STR_FMT "\n" STR_FMT,
				       STR_ARG(c->also), STR_ARG(notes));
	else if (notes.len)
		c->also = arena_copy(c->mem, notes);
}

static enum err apply_sections(struct apply_work *w,
			       const struct changeset *set)
{
	struct call *c = w->call;
	enum err e = patch_files_apply(&w->files, set);

	if (!e)
		e = patch_files_finish(&w->files);
	if (e)
		return e;
	collect_changes(w);
	if (w->n)
		e = change_group(c, w->changes, w->n, w->done);
	if (e)
		return e;
	c->line = w->n ? w->changed[0]->line : 0;
	c->say = success_text(w);
	tell_notes(c, buf_str(&w->files.notes));
	return ERR_OK;
}

static enum err apply_run(struct call *c)
{
	const struct apply_args *a = c->args;
	struct apply_out *out = c->out;
	struct apply_work w = {
		.call = c,
		.files = { .call = c, .versions = &a->versions },
	};
	struct changeset set;
	enum err e = read_patch(c, a, &set);

	if (!e)
		e = apply_sections(&w, &set);
	if (!e) {
		out->success = true;
		tell_files(&w, out);
		tell_meta(&w, &out->meta);
		c->diff = out->diff;
	}
	buf_free(&w.files.notes);
	return e;
}

static const char *const input_aliases[] = { "patch", "patchText", "patch_text",
					     NULL };

static const struct field fields[] = {
	{ "input", FIELD_STR, .required = true, .aliases = input_aliases,
	  .offset = offsetof(struct apply_args, input),
	  .doc = "The whole patch, from *** Begin Patch to *** End Patch" },
	{ "if_versions", FIELD_TEXTS, .unlisted = true, .pairs = true,
	  .offset = offsetof(struct apply_args, versions),
	  .doc = "For each path the version that the file must still have" },
	FIELDS_END,
};

static const struct field file_fields[] = {
	{ "path", FIELD_STR, .required = true,
	  .offset = offsetof(struct applied_file, path),
	  .doc = "As the patch spells it" },
	{ "action", FIELD_STR, .required = true,
	  .offset = offsetof(struct applied_file, action),
	  .doc = "add, update, move or delete" },
	{ "from", FIELD_STR, .offset = offsetof(struct applied_file, from),
	  .doc = "With move: the path before" },
	{ "added", FIELD_INT, .required = true,
	  .offset = offsetof(struct applied_file, added),
	  .doc = "Number of lines" },
	{ "removed", FIELD_INT, .required = true,
	  .offset = offsetof(struct applied_file, removed),
	  .doc = "Number of lines" },
	{ "version", FIELD_STR,
	  .offset = offsetof(struct applied_file, version),
	  .doc = "Version of the content now, for if_versions" },
	FIELDS_END,
};

static const struct field meta_fields[] = {
	{ "operation", FIELD_STR,
	  .offset = offsetof(struct group_meta, operation),
	  .doc = "The id of the first operation in the history; undo_file_change takes back all of them" },
	{ "kept", FIELD_STR, .offset = offsetof(struct group_meta, kept),
	  .doc = "Metadata that was preserved, as in other tools" },
	{ "lost", FIELD_STR, .offset = offsetof(struct group_meta, lost),
	  .doc = "Metadata that could not be preserved" },
	{ "hook", FIELD_STR, .offset = offsetof(struct group_meta, hook),
	  .doc = "Failure of an after_edit hook; the changes were made" },
	{ "history", FIELD_STR, .offset = offsetof(struct group_meta, history),
	  .doc = "Why a change was not recorded in the history" },
	{ "diff_cut", FIELD_BOOL,
	  .offset = offsetof(struct group_meta, diff_cut),
	  .doc = "The diff was too long for one reply and ends early" },
	FIELDS_END,
};

static const struct field out[] = {
	{ "success", FIELD_BOOL, .required = true,
	  .offset = offsetof(struct apply_out, success),
	  .doc = "Always true; a failure is an error" },
	{ "files", FIELD_LIST, .required = true,
	  .offset = offsetof(struct apply_out, files),
	  .doc = "The files that changed", .fields = file_fields,
	  .size = sizeof(struct applied_file) },
	{ "diff", FIELD_STR, .required = true,
	  .offset = offsetof(struct apply_out, diff),
	  .doc = "Diff of all files, as git prints it" },
	{ "_meta", FIELD_OBJECT, .required = true,
	  .offset = offsetof(struct apply_out, meta),
	  .doc = "How the files were written", .fields = meta_fields,
	  .brief = true },
	FIELDS_END,
};

static const char *const constraints[] = {
	"All or nothing: on any error, and after a crash, no file is changed",
	"The format is that of Codex: *** Begin Patch, then sections *** Add File, *** Delete File and *** Update File with *** Move to and hunks, then *** End Patch",
	"The lines of a hunk that stay or go must fit at exactly one place behind the hunk before it",
	"@@ TEXT is a whole line above the place; each line that is equal must lead to the same place. Several @@ lines narrow one after the other",
	"@@ -12,3 +12,4 @@ decides between places that fit equally, and no more",
	"If no place fits exactly: without trailing blanks, then with one shift of indentation, which added lines get as well, then with quotes and dashes as equal; the second text says so",
	"A hunk of only + lines goes to the end of the file, and may not have an @@ line",
	"*** End of File: the hunk's lines are the last of the file",
	"Added lines take the line ending of their place; no final newline is added or dropped unless lines come behind it",
	"*** Add File and *** Move to replace an existing file only if the caller has read it as it is now, or has given its version",
	"Missing directories are created; metadata of a moved file is kept",
	"A symbolic link is followed by an update, and neither deleted nor moved",
	"A section sees the files as the sections before it left them; the result has each file once",
	"Paths are absolute, ~/…, or relative to the directory stet was started in",
	"At most 200 files, 4 MiB of patch, and 16 @@ lines for a hunk",
	"Also accepted, but not in the schema: if_versions, an object from path to version; if_version for a patch of one file; patch, patchText and patch_text for input",
	NULL,
};

static const struct tool_example examples[] = {
	{ "Change a file and add another",
	  "{\"input\":\"*** Begin Patch\\n*** Update File: /project/src/app.py\\n@@ def greet():\\n-    print(\\\"Hi\\\")\\n+    print(\\\"Hello\\\")\\n*** Add File: /project/notes/hello.txt\\n+Hello world\\n*** End Patch\\n\"}",
	  "{\"success\":true,\"files\":[{\"path\":\"/project/src/app.py\",\"action\":\"update\",\"added\":1,\"removed\":1},{\"path\":\"/project/notes/hello.txt\",\"action\":\"add\",\"added\":1,\"removed\":0}]}" },
	{ NULL },
};

const struct tool tool_apply_patch = {
	.name = "apply_patch",
	.title = "Apply a patch to several files",
	.doc = "Change several files, all or nothing. Between *** Begin Patch and *** End Patch: *** Add File: P (lines with +), *** Delete File: P, *** Update File: P, then *** Move to: Q if it is to be renamed, then hunks: @@ or @@ and a line above the place, lines with a blank (stay), - (go) or + (come). Give three lines of context. What fits several places is refused: add context or @@ lines.",
	.families = { "patch" },
	.kind = "edit",
	.fields = fields,
	.out = out,
	.args_size = sizeof(struct apply_args),
	.out_size = sizeof(struct apply_out),
	.effects = TOOL_EDITS,
	.run = apply_run,
	.text_result = true,
	.fails_as_result = true,
	.constraints = constraints,
	.examples = examples,
};
