/*
 * page_history.c - API: operations of the history, one of them, and counts per
 * span.
 *
 * put_operation() makes the JSON of an operation for the event stream, too.
 */
#include "base/clock.h"
#include "files/path.h"
#include "store/approvals.h"
#include "store/client_name.h"
#include "text/encoding/utf8.h"
#include "tools/history/undo.h"
#include "tools/permissions/approvals_json.h"
#include "web/page_local.h"
#include "web/patch.h"
#include "web/query.h"

enum { LIMIT = 50, MOST = 200, MOST_DIFF = 512 * 1024 };

/* Does another root end with the same components as @name, the end of one? */
static bool is_shared(const struct op_view *view, struct str root,
		      struct str name)
{
	for (size_t i = 0; i < view->root_count; i++) {
		struct str other = view->roots[i];

		if (!str_eq(other, root) && str_ends(other, name) &&
		    (other.len == name.len ||
		     other.ptr[other.len - name.len - 1] == '/'))
			return true;
	}
	return false;
}

/*
 * The offset of the part of @root that distinguishes it from the other roots.
 */
static size_t root_name(const struct op_view *view, struct str root)
{
	size_t at = str_rfind(root, '/') + 1, slash;

	while (at > 1 && is_shared(view, root, str_skip(root, at))) {
		slash = str_rfind(str_head(root, at - 1), '/');
		at = slash < at - 1 ? slash + 1 : 0;
	}
	return at <= 1 && is_shared(view, root, str_skip(root, at)) ? 0 : at;
}

struct str shown_path(const struct op_view *view, struct str path)
{
	struct str best = path, rest, root;
	size_t longest = 0;

	for (size_t i = 0; i < view->root_count; i++) {
		root = view->roots[i];
		if (!path_beneath(path, root, &rest) || !rest.len ||
		    root.len <= longest)
			continue;
		longest = root.len;
		best = rest;
		if (view->root_count > 1)
			best = str_skip(path, root_name(view, root));
	}
	return best;
}

static void put_version(struct json_out *o, const char *key, struct hash h,
			bool known)
{
	char hex[HASH_HEX + 1];

	if (!known || hash_eq(h, (struct hash){ 0 }))
		return;
	hash_hex(h, hex);
	json_text_member(o, key, str_of(hex));
}

/* "undo" or "redo", and of which change; nothing for an ordinary one. */
static void put_role(struct json_out *o, const struct op_view *view,
		     const struct op *op)
{
	enum op_role role = op_role(view->store, op);

	if (role == OP_DOES)
		return;
	json_text_member(o, "role",
			 role == OP_UNDOES ? STR("undo") : STR("redo"));
	put_id(o, "of", op_about(view->store, op));
}

static void put_mode(struct json_out *o, const char *key, unsigned mode)
{
	auto_arena mem = ARENA_INIT;

	if (mode)
		json_text_member(o, key, arena_printf(&mem, "%03o", mode));
}

/* The question whose yes has let it happen, if there is one. */
static void put_yes(struct json_out *o, const struct op_view *view,
		    const struct op *op)
{
	struct approval a;

	if (!approval_used_by(view->store, op->id, view->mem, &a))
		return;
	put_id(o, "approval", a.id);
	put_number(o, "asked", a.time_ms);
	put_number(o, "allowed_used", a.used_ms);
}

/* The grant that allowed it, also when that is revoked or has expired. */
static void put_granted_by(struct json_out *o, const struct op_view *view,
			   const struct op *op)
{
	struct grant g;

	put_id(o, "granted_by", op->granted_by);
	if (!grant_find(view->store, op->granted_by, view->mem, &g))
		return;
	json_key(o, "grant");
	put_grant(o, view, &g);
}

void put_operation(struct json_out *o, const struct op_view *view,
		   const struct op *op)
{
	json_open(o, '{');
	put_id(o, "id", op->id);
	put_number(o, "time", op->time_ms);
	json_text_member(o, "kind", str_of(op_kind_name(op->kind)));
	json_text_member(o, "path", op->path);
	json_text_member(o, "shown", shown_path(view, op->path));
	approvals_put_lookalikes(o, op->path, view->mem);
	json_text_member(o, "tool", op->tool);
	client_put(o, op->scope, op->client);
	put_yes(o, view, op);
	put_granted_by(o, view, op);
	put_id(o, "group", op->group);
	if (op->from.len)
		json_text_member(o, "from", op->from);
	json_text_member(o, "session", op->session);
	json_text_member(o, "call", op->call);
	put_flag(o, "active", op_active(view->store, op));
	put_id(o, "undoes", op->undoes);
	put_role(o, view, op);
	put_id(o, "undone", op->undone);
	put_lines(o, view, op);
	put_mode(o, "mode_before", op->mode_before);
	put_mode(o, "mode_after", op->mode_after);
	put_number(o, "bytes_before", op->bytes_before);
	put_number(o, "bytes_after", op->bytes_after);
	put_version(o, "version_before", op->before, op->existed);
	put_version(o, "version_after", op->after, op->exists);
	json_close(o, '}');
}

static enum err bad_number(struct api_request *rq)
{
	return fail(
		&rq->fault, ERR_BAD_ARGS,
		.text = STR(
			"since, until, skip, limit and buckets are numbers; times in milliseconds since 1970"));
}

/* "create,delete": the kinds that are wanted. */
static enum err read_kinds(struct api_request *rq, unsigned *ret)
{
	struct str list = query_text(rq->query, "kind", &rq->mem), word;
	unsigned kind;

	*ret = 0;
	while (list.len && str_split(&list, ',', &word)) {
		for (kind = OP_CREATE; kind < OP_KINDS; kind++)
			if (str_is(word, op_kind_name((enum op_kind)kind)))
				break;
		if (kind == OP_KINDS)
			return fail(
				&rq->fault, ERR_BAD_ARGS,
				.text = STR(
					"kind is one or more of create, update, append, delete, mode, move, mkdir, rmdir, copy and link"));
		*ret |= 1U << kind;
	}
	return ERR_OK;
}

enum err page_filter(struct api_request *rq, struct history_query *q)
{
	struct str text = rq->query;
	uint64_t skip, limit;

	*q = (struct history_query){
		.path = query_text(text, "path", &rq->mem),
		.client = query_text(text, "client", &rq->mem),
		.token = query_text(text, "token", &rq->mem),
		.session = query_text(text, "session", &rq->mem),
		.call = query_text(text, "call", &rq->mem),
		.text = query_text(text, "q", &rq->mem),
	};
	if (!query_number(text, "since", 0, INT64_MAX, &q->since_ms) ||
	    !query_number(text, "until", 0, INT64_MAX, &q->until_ms) ||
	    !query_number(text, "skip", 0, INT32_MAX, &skip) ||
	    !query_number(text, "limit", LIMIT, INT32_MAX, &limit))
		return bad_number(rq);
	q->skip = skip;
	q->limit = limit < MOST ? limit : MOST;
	if (!q->limit)
		q->limit = 1;
	return read_kinds(rq, &q->kinds);
}

static void put_operations(struct api_request *rq, const struct op *ops,
			   size_t n, bool more)
{
	struct op_view view = op_view(rq->page, &rq->mem);
	struct json_out o = json_out(&rq->out);

	json_open(&o, '{');
	json_key(&o, "operations");
	json_open(&o, '[');
	for (size_t i = 0; i < n; i++)
		put_operation(&o, &view, &ops[i]);
	json_close(&o, ']');
	put_flag(&o, "more", more);
	json_close(&o, '}');
}

void page_history(struct api_request *rq)
{
	struct store *s = rq->page->options.server->tools.store;
	struct history_query q;
	struct op *ops = NULL;
	size_t n = 0, most;
	enum err e = page_filter(rq, &q);

	most = q.limit++; /* one more, to know whether there are further ones */
	if (!e && s)
		e = history_list(s, &q, &rq->mem, &ops, &n, &rq->fault);
	if (e)
		api_failed(rq);
	else
		put_operations(rq, ops, size_min(n, most), n > most);
}

/* At most @most bytes, in whole lines. */
static struct str shorten(struct str diff, size_t most, bool *cut)
{
	struct str head = utf8_head(diff, most);

	*cut = head.len < diff.len;
	return *cut ? str_head(head, str_rfind(head, '\n') + 1) : diff;
}

void put_diff(struct json_out *o, struct str diff, size_t *ret_left)
{
	bool cut;
	struct str shorter = shorten(diff, *ret_left, &cut);

	*ret_left -= shorter.len;
	json_text_member(o, "diff", shorter);
	put_flag(o, "cut", cut);
}

static enum err one_operation(struct api_request *rq, struct store *s,
			      struct op *op, struct buf *diff,
			      struct description *ret)
{
	struct op_view view = op_view(rq->page, &rq->mem);
	enum err e = history_find(s, rq->id, &rq->mem, op, &rq->fault);

	if (e)
		return e;
	e = undo_diff(s, op, shown_path(&view, op->path), &rq->mem, diff, ret,
		      &rq->fault);
	/* The operation is listed, without a diff. */
	return e == ERR_NO_CONTENT ? ERR_OK : e;
}

void page_operation(struct api_request *rq)
{
	struct op_view view = op_view(rq->page, &rq->mem);
	struct json_out o = json_out(&rq->out);
	struct store *s = api_store(rq);
	auto_buf diff = BUF_INIT;
	struct description d = { .does = STR("") };
	bool cut;
	struct patch patch;
	struct str shorter;
	struct op op;

	if (!s)
		return;
	if (one_operation(rq, s, &op, &diff, &d)) {
		api_failed(rq);
		return;
	}
	shorter = shorten(buf_str(&diff), MOST_DIFF, &cut);
	patch_parse(shorter, &rq->mem, &patch);
	json_open(&o, '{');
	json_key(&o, "operation");
	put_operation(&o, &view, &op);
	json_text_member(&o, "diff", shorter);
	put_flag(&o, "cut", cut);
	json_key(&o, "hunks");
	patch_put(&o, &patch);
	approvals_put_lines(&o, "does", d.does);
	approvals_put_lines(&o, "badges", d.badges);
	put_number(&o, "lines_added", d.added);
	put_number(&o, "lines_removed", d.removed);
	put_flag(&o, "kept", rq->fault.err != ERR_NO_CONTENT);
	json_close(&o, '}');
}

static void put_bucket(struct json_out *o, uint64_t time,
		       const struct history_bucket *b)
{
	json_open(o, '{');
	put_number(o, "time", time);
	put_number(o, "created", b->kinds[OP_CREATE] + b->kinds[OP_COPY]);
	put_number(o, "updated", b->kinds[OP_UPDATE] + b->kinds[OP_APPEND]);
	put_number(o, "removed", b->kinds[OP_DELETE]);
	put_number(o, "other",
		   b->kinds[OP_MODE] + b->kinds[OP_MOVE] + b->kinds[OP_MKDIR] +
			   b->kinds[OP_RMDIR] + b->kinds[OP_LINK]);
	json_close(o, '}');
}

static enum err count_buckets(struct api_request *rq,
			      const struct history_query *q, size_t n,
			      struct history_bucket *ret)
{
	struct store *s = rq->page->options.server->tools.store;

	return s ? history_count(s, q, n, &rq->mem, ret, &rq->fault) : ERR_OK;
}

void page_chart(struct api_request *rq)
{
	enum { BUCKETS = 60, MOST_BUCKETS = 1000, DAY = 24 * 3600 * 1000 };
	const uint64_t most = 1ULL << 45; /* so that no product is too large */
	struct json_out o = json_out(&rq->out);
	struct history_bucket *all;
	uint64_t since = 0, until = 0, n = 0;
	struct history_query q;
	enum err e = page_filter(rq, &q);

	if (!e &&
	    (!query_number(rq->query, "until", clock_unix_ms() + 1, most,
			   &until) ||
	     !query_number(rq->query, "since", until > DAY ? until - DAY : 0,
			   most, &since) ||
	     !query_number(rq->query, "buckets", BUCKETS, MOST_BUCKETS, &n) ||
	     !n || since >= until))
		e = bad_number(rq);
	all = arena_array(&rq->mem, struct history_bucket, e ? 1 : n);
	q.since_ms = since;
	q.until_ms = until;
	if (!e)
		e = count_buckets(rq, &q, n, all);
	if (e) {
		api_failed(rq);
		return;
	}
	json_open(&o, '{');
	put_number(&o, "from", since);
	put_number(&o, "to", until);
	json_key(&o, "buckets");
	json_open(&o, '[');
	for (size_t i = 0; i < n; i++)
		put_bucket(&o, since + i * (until - since) / n, &all[i]);
	json_close(&o, ']');
	json_close(&o, '}');
}
