/*
 * patch_files.c - the files of a patch, as its sections leave them.
 *
 * A file is loaded when the first section names it, and decoded when its text
 * is needed, so that a binary file can be moved and deleted. Two spellings of a
 * path are one file, by its key.
 */
#include "tools/handlers/patch_files.h"

#include "text/diff/diff.h"
#include "text/lines/eol.h"
#include "tools/find/find.h"
#include "tools/handlers/failed_match.h"
#include "tools/handlers/rewriting.h"

static struct str slash_tail(struct str path)
{
	return str_skip(path, str_rfind(path, '/') + 1);
}

/* Is the last component of the path a link? Its key has another directory. */
static bool is_link(struct call *c, const struct patch_file *file)
{
	struct str path = file->absolute, key = file->was.snap.key;
	struct file_info dir;
	struct fault ignored;

	while (path.len > 1 && str_ends(path, STR("/")))
		path.len--;
	if (!str_eq(slash_tail(path), slash_tail(key)))
		return true;
	path = str_head(path, str_rfind(path, '/'));
	if (!path.len || ws_stat(c->ws, path, c->mem, &dir, &ignored))
		return false;
	return !str_eq(dir.key, str_head(key, str_rfind(key, '/')));
}

/* The version that the caller says the file has; "" = it says nothing. */
static enum err version_for(struct patch_files *p, struct str absolute,
			    struct str *ret)
{
	const struct str *pairs = p->versions->items;
	struct str path;
	enum err e = ERR_OK;

	*ret = p->call->guard.if_version;
	for (size_t i = 0; i < p->versions->count && !e; i += 2) {
		e = find_absolute(p->call, pairs[i], &path);
		if (!e && str_eq(path, absolute))
			*ret = pairs[i + 1];
	}
	return e;
}

static enum err check_version(struct patch_files *p, struct patch_file *file)
{
	struct call *c = p->call;
	struct str version;
	struct hash want;
	enum err e = version_for(p, file->absolute, &version);

	if (e || !version.len)
		return e;
	file->proved = file->existed && hash_parse(version, &want) &&
		       hash_eq(want, file->was.snap.version);
	if (file->proved)
		return ERR_OK;
	return fail(c->fault, ERR_CHANGED_AT, .path = file->path,
		    .file = file->path,
		    .version = file->existed ? hash_text(file->was.snap.version,
							 c->mem)
					     : STR(""));
}

static struct patch_file *file_with_key(const struct patch_files *p,
					struct str key)
{
	for (size_t i = 0; key.len && i < p->count; i++)
		if (str_eq(p->files[i]->was.snap.key, key))
			return p->files[i];
	return NULL;
}

/* The file at @path, loaded when it is named for the first time. */
static enum err find_file(struct patch_files *p, struct str path,
			  struct patch_file **ret)
{
	struct call *c = p->call;
	struct patch_file *file = arena_new(c->mem, struct patch_file);
	enum err e = find_absolute(c, path, &file->absolute);

	if (e)
		return e;
	for (size_t i = 0; i < p->count; i++) {
		*ret = p->files[i];
		if (str_eq((*ret)->absolute, file->absolute))
			return ERR_OK;
	}
	file->path = path;
	e = textfile_fetch(c, file->absolute, &file->was.snap);
	if (e && e != ERR_NOT_FOUND)
		return e;
	file->existed = file->exists = !e;
	*ret = file_with_key(p, file->was.snap.key);
	if (*ret)
		return ERR_OK;
	file->link = file->existed && is_link(c, file);
	if (file->existed)
		file->origin = file;
	p->files[p->count++] = file;
	*ret = file;
	return check_version(p, file);
}

static enum err decode(struct call *c, struct patch_file *file)
{
	enum err e = ERR_OK;

	if (!file->decoded)
		e = textfile_show(c, file->absolute, &file->was);
	if (e == ERR_NO_MEMORY)
		return fail_memory(c->fault, STR("decoding this file"),
				   file->was.snap.bytes.len,
				   c->mem->charge.budget);
	if (e)
		return fail(c->fault, ERR_BINARY_EDIT, .path = file->path);
	file->decoded = true;
	return ERR_OK;
}

/* An existing file is replaced only if the caller has read it as it is. */
static enum err check_known(struct call *c, const struct patch_file *file)
{
	enum err e;

	if (!file->existed || file->proved)
		return ERR_OK;
	e = file_read_check_current(c, file->absolute, &file->was.snap);
	if (e != ERR_UNREAD && e != ERR_STALE)
		return e;
	return fail(
		c->fault, ERR_EXISTS, .path = file->path, .file = file->path,
		.hint = e == ERR_UNREAD
				? STR("Read it first to replace it, or use '*** Update File:'; nothing was changed")
				: STR("It has changed since it was read. Read it again to replace it; nothing was changed"));
}

static enum err fail_link(struct call *c, const struct patch_file *file,
			  const char *hint)
{
	return fail(c->fault, ERR_NOT_A_FILE, .path = file->path,
		    .file = file->path, .hint = str_of(hint));
}

static enum err add_file(struct patch_files *p,
			 const struct changeset_section *s)
{
	struct call *c = p->call;
	struct patch_file *file;
	bool crlf = c->options->new_crlf;
	enum err e = find_file(p, s->path, &file);

	if (!e && file->exists)
		e = check_known(c, file);
	if (e)
		return e;
	file->replaced = s->line;
	file->origin = NULL;
	if (file->existed) {
		file->origin = file;
		e = decode(c, file);
		if (e == ERR_NO_MEMORY)
			return e;
		if (e) /* a binary file becomes UTF-8 */
			file->was.in = (struct detected){ &encoding_utf8 };
		crlf = eol_of(file->was.shown.text) == EOL_CRLF;
	}
	file->exists = file->edited = file->whole = true;
	file->text = crlf ? eol_to_crlf(s->content, c->mem) : s->content;
	file->line = 1;
	return ERR_OK;
}

static enum err fail_missing(struct call *c, const struct patch_file *file)
{
	return fail(c->fault, ERR_NOT_FOUND, .path = file->path,
		    .file = file->path);
}

static enum err delete_file(struct patch_files *p,
			    const struct changeset_section *s)
{
	struct patch_file *file;
	enum err e = find_file(p, s->path, &file);

	if (e)
		return e;
	if (!file->exists)
		return fail_missing(p->call, file);
	if (file->link)
		return fail_link(
			p->call, file,
			"It is a symbolic link: delete_file deletes it and leaves its target");
	file->exists = file->edited = file->whole = false;
	return ERR_OK;
}

static void note_rules(struct patch_files *p, struct str path,
		       const struct changeset_section *s,
		       const struct section_applied *done)
{
	for (size_t i = 0; i < s->hunk_count; i++) {
		if (done->rules[i] == LENIENT_NONE)
			continue;
		buf_addf(&p->notes,
			 "%sHunk %zu of " STR_FMT
			 " did not fit exactly; other than in the file: %s.",
			 p->notes.len ? "\n" : "", i + 1, STR_ARG(path),
			 lenient_rule_name(done->rules[i]));
	}
}

static enum err explain_hunk(struct call *c, enum err e,
			     const struct changeset_section *s,
			     const struct hunk_failure *why)
{
	struct fault f = {
		.err = e,
		.path = s->path,
		.file = s->path,
		.index = why->hunk,
		.hunk = why->hunk,
		.patch_line = why->line,
		.count = why->places,
		.hint = arena_printf(c->mem,
				     "It is at line %zu of the patch. %s",
				     why->line, why->hint),
	};

	failed_match_describe(why->candidates, why->count, c->mem, &f);
	return fault_set(c->fault, &f);
}

/* The text of @file as the sections before have made it. */
static enum err present_text(struct call *c, struct patch_file *file,
			     struct str *ret)
{
	enum err e;

	if (file->edited) {
		*ret = file->text;
		return ERR_OK;
	}
	e = decode(c, file->origin);
	*ret = file->origin->was.shown.text;
	return e;
}

static enum err apply_hunks(struct patch_files *p, struct patch_file *file,
			    const struct changeset_section *s)
{
	struct call *c = p->call;
	struct section_applied done;
	struct hunk_failure why;
	struct str text;
	enum err e = present_text(c, file, &text);

	if (e)
		return e;
	e = section_apply(text, s, c->options->new_crlf, c->mem, &done, &why,
			  c->fault);
	if (e == ERR_NO_PLACE || e == ERR_MANY_PLACES)
		return explain_hunk(c, e, s, &why);
	if (e)
		return e;
	if (done.text.len > text.len && done.text.len > c->options->max_file)
		return fail(c->fault, ERR_TOO_LARGE, .bytes = done.text.len,
			    .limit = c->options->max_file);
	note_rules(p, s->path, s, &done);
	if (!file->line)
		file->line = done.line;
	file->edited = true;
	file->text = done.text;
	return ERR_OK;
}

static enum err move_file(struct patch_files *p, struct patch_file *file,
			  const struct changeset_section *s)
{
	struct patch_file *dest;
	enum err e = find_file(p, s->to, &dest);

	if (!e && dest != file && dest->exists)
		e = check_known(p->call, dest);
	if (e || dest == file)
		return e;
	if (dest->exists && dest->link)
		return fail(p->call->fault, ERR_EXISTS, .path = dest->path,
			    .file = dest->path,
			    .hint = STR("It is a symbolic link"));
	dest->exists = true;
	dest->replaced = s->line;
	dest->origin = file->origin;
	dest->edited = file->edited;
	dest->whole = file->whole;
	dest->text = file->text;
	dest->line = file->line;
	file->exists = file->edited = file->whole = false;
	return ERR_OK;
}

static enum err update_file(struct patch_files *p,
			    const struct changeset_section *s)
{
	struct patch_file *file;
	enum err e = find_file(p, s->path, &file);

	if (e)
		return e;
	if (!file->exists)
		return fail_missing(p->call, file);
	if (file->link && s->to.len)
		return fail_link(
			p->call, file,
			"It is a symbolic link: update its target, or move the link with move_file");
	if (s->hunk_count)
		e = apply_hunks(p, file, s);
	if (!e && s->to.len)
		e = move_file(p, file, s);
	return e;
}

/* Is there a file in the end that has what @file had at first? */
static bool keeps_content(const struct patch_files *p,
			  const struct patch_file *file)
{
	for (size_t i = 0; i < p->count; i++) {
		const struct patch_file *now = p->files[i];

		if (now->exists && !now->whole && now->origin == file)
			return true;
	}
	return false;
}

/*
 * What counts is the net effect: a file that was deleted or moved away before
 * another took its name is replaced, unless its content is still somewhere.
 */
static enum err check_replaced(struct patch_files *p)
{
	for (size_t i = 0; i < p->count; i++) {
		const struct patch_file *file = p->files[i];
		enum err e;

		if (!file->exists || keeps_content(p, file))
			continue;
		e = check_known(p->call, file);
		if (!e)
			continue;
		p->call->fault->patch_line = file->replaced;
		return e;
	}
	return ERR_OK;
}

enum err patch_files_apply(struct patch_files *p, const struct changeset *set)
{
	static enum err (*const apply[])(struct patch_files *,
					 const struct changeset_section *) = {
		[CHANGESET_ADD] = add_file,
		[CHANGESET_DELETE] = delete_file,
		[CHANGESET_UPDATE] = update_file,
	};
	const struct progress *progress = &p->call->progress;

	p->files =
		arena_array(p->call->mem, struct patch_file *, 2 * set->count);
	for (size_t i = 0; i < set->count; i++) {
		const struct changeset_section *s = &set->sections[i];
		enum err e = apply[s->kind](p, s);

		if (e && !p->call->fault->patch_line)
			p->call->fault->patch_line = s->line;
		if (e)
			return e;
		if (progress->stop && progress->stop(progress->ctx))
			return fail(p->call->fault, ERR_CANCELLED,
				    .path = s->path);
	}
	return check_replaced(p);
}

/* Lines that stay keep their bytes, whatever the encoding. */
static enum err encode_edited(struct call *c, struct patch_file *file)
{
	struct textfile *base = &file->origin->was;
	struct reencode r = { .text = file->text };
	struct diff diff;
	enum err e;

	file->bytes = base->snap.bytes;
	diff_texts(base->shown.text, file->text, c->mem, &diff);
	if (!diff.count)
		return ERR_OK;
	r.splices = diff_as_splices(&diff, base->shown.text, c->mem);
	r.n = diff.count;
	e = textfile_reencode(c, file->absolute, base, &r);
	file->bytes = r.after;
	return e;
}

static enum err encode_whole(struct call *c, struct patch_file *file)
{
	struct rewrite t = { .exists = file->origin };
	enum err e;

	if (file->origin)
		t.file = file->origin->was;
	else
		rewrite_new(c, file->absolute, &t.file);
	e = rewrite_encode(c, file->absolute, &t, file->text);
	file->bytes = t.bytes;
	file->encoding = t.file.in.encoding;
	return e;
}

static enum err finish_file(struct call *c, struct patch_file *file)
{
	if (!file->exists)
		return ERR_OK;
	if (file->edited && (file->whole || !file->origin))
		return encode_whole(c, file);
	if (file->origin->decoded)
		file->encoding = file->origin->was.in.encoding;
	if (file->edited)
		return encode_edited(c, file);
	file->bytes = file->origin->was.snap.bytes;
	return ERR_OK;
}

enum err patch_files_finish(struct patch_files *p)
{
	enum err e = ERR_OK;

	for (size_t i = 0; i < p->count && !e; i++)
		e = finish_file(p->call, p->files[i]);
	return e;
}

bool patch_file_changed(const struct patch_file *file)
{
	if (!file->existed || !file->exists)
		return file->existed != file->exists;
	return !str_eq(file->bytes, file->was.snap.bytes);
}

const struct patch_file *patch_file_from(const struct patch_file *file)
{
	const struct patch_file *from = file->origin;

	return file->exists && from && from != file && !from->exists ? from
								     : NULL;
}

bool patch_file_moved(const struct patch_files *p,
		      const struct patch_file *file)
{
	for (size_t i = 0; i < p->count; i++)
		if (patch_file_from(p->files[i]) == file)
			return true;
	return false;
}
