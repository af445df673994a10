/*
 * Any two versions of one file, compared: after an operation, before it, or as
 * the file is now. Only files that the history knows, so that this is no way
 * to read others.
 */
#include "files/path.h"
#include "tools/undo.h"
#include "web/page_local.h"
#include "web/patch.h"
#include "web/query.h"

enum { MOST_DIFF = 512 * 1024 };

static enum err before_op(struct visit *v, struct owner *o, const struct op *op,
			  struct side *ret)
{
	*ret = (struct side){ .exists = op->existed, .mode = op->mode_before };
	if (!op->existed)
		return ERR_OK;
	return history_content(o->options.store, op, HISTORY_BEFORE, &v->mem,
			       &ret->bytes, &v->fault);
}

/* "now", "ID" or "before:ID". */
static enum err find_version(struct visit *v, struct owner *o, const char *name,
			     struct str path, struct side *ret,
			     struct hash *ret_version)
{
	struct str word = query_text(v->query, name, &v->mem);
	bool before = str_starts(word, STR("before:"));
	struct op op;
	enum err e;

	if (str_is(word, "now"))
		return owner_now(o, path, ret, ret_version);
	if (before)
		word = str_skip(word, strlen("before:"));
	e = history_find(o->options.store, word, &v->mem, &op, &v->fault);
	if (e)
		return e;
	if (!str_eq(op.path, path))
		return fail(&v->fault, ERR_BAD_ARGS,
			    .text = STR("from and to are versions of path"));
	e = before ? before_op(v, o, &op, ret) : owner_at_op(o, path, &op, ret);
	if (!e)
		*ret_version = hash_of(ret->bytes);
	return e;
}

static void put_version(struct json_out *o, const char *key,
			const struct side *side, struct hash version,
			struct arena *mem)
{
	json_key(o, key);
	json_open(o, '{');
	put_flag(o, "exists", side->exists);
	put_number(o, "bytes", side->exists ? side->bytes.len : 0);
	if (side->exists)
		json_text_member(o, "version", hash_text(version, mem));
	json_close(o, '}');
}

static void put_comparison(struct visit *v, struct json_out *o, struct str path,
			   const struct side *from, const struct side *to)
{
	struct op_view view = op_view(v->page, &v->mem);
	struct str old = from->exists ? from->bytes : STR("");
	struct str new = to->exists ? to->bytes : STR("");
	size_t added = 0, removed = 0, left = MOST_DIFF;
	auto_buf diff = BUF_INIT;
	bool text;

	text = revise_diff(old, new, /* written= */ NULL,
			   shown_path(&view, path), &v->mem, &diff);
	put_flag(o, "same", str_eq(old, new) && from->exists == to->exists);
	put_flag(o, "binary", !text);
	if (text && revise_count(old, new, &v->mem, &added, &removed)) {
		put_number(o, "lines_added", added);
		put_number(o, "lines_removed", removed);
	}
	put_diff(o, buf_str(&diff), &left);
}

void page_compare(struct visit *v)
{
	struct str path = query_text(v->query, "path", &v->mem);
	struct json_out o = json_out(&v->out);
	struct store *s = visit_store(v);
	struct hash versions[2] = { 0 };
	auto_owner owner = { 0 };
	struct side from = { 0 }, to = { 0 };
	enum err e;

	if (!s)
		return;
	page_owner(v, s, "stet log", &owner);
	owner_reach(&owner, path);
	e = path_absolute(path)
		    ? find_version(v, &owner, "from", path, &from, &versions[0])
		    : fail(&v->fault, ERR_BAD_ARGS,
			   .text = STR("path must be absolute"));
	if (!e)
		e = find_version(v, &owner, "to", path, &to, &versions[1]);
	if (e) {
		visit_failed(v);
		return;
	}
	json_open(&o, '{');
	put_version(&o, "from", &from, versions[0], &v->mem);
	put_version(&o, "to", &to, versions[1], &v->mem);
	put_comparison(v, &o, path, &from, &to);
	json_close(&o, '}');
}
