/*
 * Undo of many operations: what it would do, and doing just that. The preview
 * names the operations and has a digest of each file as it is and as it would
 * become; the request to undo sends both back, and is refused when they are
 * not what would happen any more.
 */
#include "base/digest.h"
#include "tools/approvals_json.h"
#include "tools/undo.h"
#include "web/page_local.h"
#include "web/query.h"

enum {
	MOST_OPS = 1000,
	MOST_DIFFS = 512 * 1024,
	MOST_BYTES = 64 * 1024 * 1024, /* of contents, in memory at once */
};

/* What undoing some of its operations would make of one file. */
struct file_preview {
	struct str path;
	size_t operations;
	size_t done;        /* would be undone */
	size_t merged;      /* of these: beside changes made since */
	size_t conflicts;   /* would stay, or be settled as was asked */
	size_t unknown;     /* cannot be undone: their contents are not kept */
	struct fault fault; /* the first other reason why one stays; err 0 */
	const struct preview_file *sides; /* NULL = it was not looked at */
};

struct plan {
	struct op *ops; /* newest first */
	size_t n;
	struct file_preview *files;
	size_t file_count;
	enum conflicts conflicts;
	bool more; /* there are more than a preview takes */
	struct preview preview;
	struct str digest;
};

static struct file_preview *file_of(struct plan *p, struct str path,
				    struct arena *mem)
{
	struct file_preview *f;

	for (size_t i = 0; i < p->file_count; i++)
		if (str_eq(p->files[i].path, path))
			return &p->files[i];
	f = arena_add(mem, p->files, p->file_count);
	*f = (struct file_preview){ .path = path };
	return f;
}

static void add_side(struct buf *out, const struct side *side,
		     struct arena *mem)
{
	buf_add(out, side->exists ? hash_text(hash_of(side->bytes), mem)
				  : STR("none"));
	buf_addf(out, " %o\n", side->exists ? side->mode : 0);
}

static struct str digest_plan(const struct plan *p, struct arena *mem)
{
	char *hex = arena_alloc(mem, DIGEST_HEX + 1);
	auto_buf all = BUF_INIT;

	for (size_t i = 0; i < p->file_count; i++) {
		const struct file_preview *f = &p->files[i];

		buf_addf(&all, "%zu " STR_FMT "\n%d %zu\n", f->path.len,
			 STR_ARG(f->path), f->fault.err, f->done);
		if (f->sides) {
			add_side(&all, &f->sides->now, mem);
			add_side(&all, &f->sides->result, mem);
		}
	}
	digest_hex(digest_of(buf_str(&all)), hex);
	return str_of(hex);
}

static void count_outcome(struct file_preview *f, enum err e,
			  const struct undone *u, const struct fault *fault)
{
	f->operations++;
	if (e == ERR_NO_CONTENT) {
		f->unknown++;
	} else if (e == ERR_UNDO_CONFLICT) {
		f->conflicts++;
	} else if (e) {
		f->fault = f->fault.err ? f->fault : *fault;
	} else {
		f->done += u->how != REVISE_ALREADY;
		f->merged += u->how == REVISE_MERGED;
		f->conflicts += u->conflicts > 0;
	}
}

/* Undo all of them, as undo_plan() would, and write nothing. */
static void make_plan(struct visit *v, struct owner *o, struct plan *p)
{
	struct undone undone;

	o->call.preview = &p->preview;
	for (size_t i = 0; i < p->n; i++) {
		enum err e = owner_undo(o, &p->ops[i], p->conflicts, &undone);

		count_outcome(file_of(p, p->ops[i].path, &v->mem), e, &undone,
			      &v->fault);
	}
	o->call.preview = NULL;
	for (size_t i = 0; i < p->preview.n; i++)
		file_of(p, p->preview.files[i].path, &v->mem)->sides =
			&p->preview.files[i];
	v->fault = (struct fault){ 0 };
	p->digest = digest_plan(p, &v->mem);
}

/* How many of the operations can be undone with the memory for one request. */
static size_t count_affordable(const struct plan *p)
{
	uint64_t bytes = 0;
	size_t i = 0;

	for (; i < p->n && i < MOST_OPS; i++) {
		bytes += p->ops[i].bytes_before + p->ops[i].bytes_after;
		if (i && bytes > MOST_BYTES)
			break;
	}
	return i;
}

static enum err pick_by_filter(struct visit *v, struct store *s, struct plan *p)
{
	struct op_pick pick = { .role = OP_DOES };
	enum err e = page_filter(v, &pick.query);
	size_t affordable;

	if (!e)
		e = page_conflicts(v,
				   query_text(v->query, "conflicts", &v->mem),
				   &p->conflicts);
	if (!e)
		e = op_pick_all(s, &pick, &v->mem, &p->ops, &p->n, &v->fault);
	if (e)
		return e;
	affordable = count_affordable(p);
	p->more = p->n > affordable;
	p->n = affordable;
	return ERR_OK;
}

static struct str text_of(const struct side *side)
{
	return side->exists ? side->bytes : STR("");
}

/* What its contents were and would be, in numbers and as a diff. */
static void put_change(struct json_out *o, const struct preview_file *f,
		       struct str name, struct arena *mem, size_t *left)
{
	struct str before = text_of(&f->now), after = text_of(&f->result);
	auto_buf diff = BUF_INIT;
	size_t added, removed;

	put_flag(o, "creates", !f->now.exists && f->result.exists);
	put_flag(o, "removes", f->now.exists && !f->result.exists);
	if (revise_count(before, after, mem, &added, &removed)) {
		put_number(o, "lines_added", added);
		put_number(o, "lines_removed", removed);
	} else {
		put_flag(o, "binary", true);
	}
	(void)revise_diff(before, after, /* written= */ NULL, name, mem, &diff);
	put_diff(o, buf_str(&diff), left);
}

static void put_file(struct json_out *o, struct visit *v,
		     const struct op_view *view, const struct file_preview *f,
		     size_t *left)
{
	struct str name = shown_path(view, f->path);

	json_open(o, '{');
	json_text_member(o, "path", f->path);
	json_text_member(o, "shown", name);
	approvals_put_lookalikes(o, f->path, &v->mem);
	put_number(o, "operations", f->operations);
	put_number(o, "done", f->done);
	put_number(o, "merged", f->merged);
	put_number(o, "conflicts", f->conflicts);
	put_number(o, "unknown", f->unknown);
	if (f->fault.err)
		json_text_member(o, "problem", fault_text(&f->fault, &v->mem));
	if (f->done && f->sides)
		put_change(o, f->sides, name, &v->mem, left);
	json_close(o, '}');
}

static void put_plan(struct visit *v, const struct plan *p)
{
	struct op_view view = op_view(v->page, &v->mem);
	struct json_out o = json_out(&v->out);
	size_t left = MOST_DIFFS;

	json_open(&o, '{');
	json_key(&o, "operations");
	json_open(&o, '[');
	for (size_t i = 0; i < p->n; i++)
		json_put_str(&o, op_id(p->ops[i].id, &v->mem));
	json_close(&o, ']');
	put_flag(&o, "more", p->more);
	json_text_member(&o, "digest", p->digest);
	json_key(&o, "files");
	json_open(&o, '[');
	for (size_t i = 0; i < p->file_count; i++)
		put_file(&o, v, &view, &p->files[i], &left);
	json_close(&o, ']');
	json_close(&o, '}');
}

void page_undo_preview(struct visit *v)
{
	struct store *s = visit_store(v);
	struct plan plan = { 0 };
	auto_owner o = { 0 };

	if (!s)
		return;
	page_owner(v, s, "stet undo", &o);
	if (pick_by_filter(v, s, &plan)) {
		visit_failed(v);
		return;
	}
	make_plan(v, &o, &plan);
	put_plan(v, &plan);
}

/* The operations that the person was shown, in the same order. */
static enum err pick_named(struct visit *v, struct store *s, struct json body,
			   struct plan *p)
{
	struct json_walk w = json_walk(json_get(body, "operations"));
	struct json how = json_get(body, "conflicts");
	struct str id, word = STR("");
	struct op op;
	enum err e;

	if (!json_is(how, JSON_NONE) && !json_text(how, &v->mem, &word))
		word = STR("?");
	e = page_conflicts(v, word, &p->conflicts);
	while (!e && json_step(&w)) {
		if (p->n == MOST_OPS || !json_text(w.value, &v->mem, &id))
			return fail(&v->fault, ERR_BAD_ARGS,
				    .text = STR("operations are the ids of a "
						"preview, at most 1000"));
		e = history_find(s, id, &v->mem, &op, &v->fault);
		if (!e)
			*(struct op *)arena_add(&v->mem, p->ops, p->n) = op;
	}
	if (!e && count_affordable(p) < p->n)
		return fail(&v->fault, ERR_BAD_ARGS,
			    .text = STR("these are more than a preview has"));
	return e;
}

static enum err check_digest(struct visit *v, struct json body,
			     const struct plan *p)
{
	struct str digest;

	if (json_text(json_get(body, "digest"), &v->mem, &digest) &&
	    str_eq(digest, p->digest))
		return ERR_OK;
	return fail(&v->fault, ERR_OLD_PREVIEW);
}

static void undo_plan(struct visit *v, struct owner *o, const struct plan *p)
{
	struct json_out j = json_out(&v->out);
	size_t done = 0, kept = 0;
	struct undone undone;

	json_open(&j, '{');
	json_key(&j, "failed");
	json_open(&j, '[');
	for (size_t i = 0; i < p->n; i++) {
		v->fault = (struct fault){ 0 };
		if (!owner_undo(o, &p->ops[i], p->conflicts, &undone)) {
			done += undone.how != REVISE_ALREADY;
			continue;
		}
		kept++;
		json_open(&j, '{');
		put_id(&j, "id", p->ops[i].id);
		json_text_member(&j, "path", p->ops[i].path);
		json_text_member(&j, "message", fault_text(&v->fault, &v->mem));
		json_close(&j, '}');
	}
	json_close(&j, ']');
	put_number(&j, "undone", done);
	put_number(&j, "kept", kept);
	json_text_member(&j, "session", o->caller.session);
	json_close(&j, '}');
}

void page_undo_many(struct visit *v)
{
	struct store *s = visit_store(v);
	struct plan plan = { 0 };
	auto_owner o = { 0 };
	struct json body;

	if (!s || !visit_body(v, /* may= */ false, &body))
		return;
	page_owner(v, s, "stet undo", &o);
	if (pick_named(v, s, body, &plan)) {
		visit_failed(v);
		return;
	}
	make_plan(v, &o, &plan);
	if (check_digest(v, body, &plan))
		visit_failed(v);
	else
		undo_plan(v, &o, &plan);
}
