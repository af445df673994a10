/*
 * page_compare.c - API: the difference between two versions of a file.
 *
 * A version is an operation of the history (before or after it), or the file as
 * it is now, which is read as the owner, without asking a rule.
 */
#include "files/path.h"
#include "tools/history/undo.h"
#include "web/page_local.h"
#include "web/patch.h"
#include "web/query.h"

enum { MOST_DIFF = 512 * 1024 };

static enum err before_op(struct api_request *rq, struct owner *o,
			  const struct op *op, struct file_content *ret)
{
	*ret = (struct file_content){ .exists = op->existed,
				      .mode = op->mode_before };
	if (!op->existed)
		return ERR_OK;
	return history_content(o->options.store, op, HISTORY_BEFORE, &rq->mem,
			       &ret->bytes, &rq->fault);
}

/* "now", "ID" or "before:ID". */
static enum err find_version(struct api_request *rq, struct owner *o,
			     const char *name, struct str path,
			     struct file_content *ret, struct hash *ret_version)
{
	struct str word = query_text(rq->query, name, &rq->mem);
	bool before = str_starts(word, STR("before:"));
	struct op op;
	enum err e;

	if (str_is(word, "now"))
		return owner_now(o, path, ret, ret_version);
	if (before)
		word = str_skip(word, strlen("before:"));
	e = history_find(o->options.store, word, &rq->mem, &op, &rq->fault);
	if (e)
		return e;
	if (!str_eq(op.path, path))
		return fail(&rq->fault, ERR_BAD_ARGS,
			    .text = STR("from and to are versions of path"));
	e = before ? before_op(rq, o, &op, ret)
		   : owner_at_op(o, path, &op, ret);
	if (!e)
		*ret_version = hash_of(ret->bytes);
	return e;
}

static void put_version(struct json_out *o, const char *key,
			const struct file_content *side, struct hash version,
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

static void put_comparison(struct api_request *rq, struct json_out *o,
			   struct str path, const struct file_content *from,
			   const struct file_content *to)
{
	struct op_view view = op_view(rq->page, &rq->mem);
	struct str old = from->exists ? from->bytes : STR("");
	struct str new = to->exists ? to->bytes : STR("");
	size_t added = 0, removed = 0, left = MOST_DIFF;
	auto_buf diff = BUF_INIT;
	bool text;

	text = revise_diff(old, new, /* written= */ NULL,
			   shown_path(&view, path), &rq->mem, &diff);
	put_flag(o, "same", str_eq(old, new) && from->exists == to->exists);
	put_flag(o, "binary", !text);
	if (text && revise_count(old, new, &rq->mem, &added, &removed)) {
		put_number(o, "lines_added", added);
		put_number(o, "lines_removed", removed);
	}
	put_diff(o, buf_str(&diff), &left);
}

void page_compare(struct api_request *rq)
{
	struct str path = query_text(rq->query, "path", &rq->mem);
	struct json_out o = json_out(&rq->out);
	struct store *s = api_store(rq);
	struct hash versions[2] = { 0 };
	auto_owner owner = { 0 };
	struct file_content from = { 0 }, to = { 0 };
	enum err e;

	if (!s)
		return;
	page_owner(rq, s, "stet log", &owner);
	owner_reach(&owner, path);
	e = path_absolute(path) ? find_version(rq, &owner, "from", path, &from,
					       &versions[0])
				: fail(&rq->fault, ERR_BAD_ARGS,
				       .text = STR("path must be absolute"));
	if (!e)
		e = find_version(rq, &owner, "to", path, &to, &versions[1]);
	if (e) {
		api_failed(rq);
		return;
	}
	json_open(&o, '{');
	put_version(&o, "from", &from, versions[0], &rq->mem);
	put_version(&o, "to", &to, versions[1], &rq->mem);
	put_comparison(rq, &o, path, &from, &to);
	json_close(&o, '}');
}
