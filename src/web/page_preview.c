/*
 * page_preview.c - API: what an undo would do, and doing just that.
 *
 * A preview runs the undo without writing and is identified by a digest of its
 * outcome. The request that confirms it sends the digest back; the preview is
 * made again and compared, so that nothing is undone that was not shown.
 */
#include "base/digest.h"
#include "tools/history/undo.h"
#include "tools/permissions/approvals_json.h"
#include "web/page_local.h"
#include "web/query.h"

enum {
	MOST_OPS = 1000,
	MOST_DIFFS = 512 * 1024,
	MOST_BYTES = 64 * 1024 * 1024, /* of contents in memory */
};

/* What undoing some of its operations would make of one file. */
struct file_preview {
	struct str path;
	size_t operations;
	size_t done;        /* would be undone */
	size_t merged;      /* of these: beside changes made since */
	size_t conflicts;   /* would stay, or be settled as was asked */
	size_t unknown;     /* without stored content: cannot be undone */
	struct fault fault; /* the first other reason why one stays; err 0 */
	struct str places;  /* the conflicts as JSON */
	const struct undo_preview_file *sides; /* NULL = not previewed */
};

struct undo_plan {
	struct op *ops; /* newest first */
	size_t n;
	struct file_preview *files;
	size_t file_count;
	enum conflicts conflicts;
	bool more; /* there are more than a preview takes */
	struct undo_preview preview;
	struct str digest;
};

static struct file_preview *file_of(struct undo_plan *p, struct str path,
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

static void add_side(struct buf *out, const struct file_content *side,
		     struct arena *mem)
{
	buf_add(out, side->exists ? hash_text(hash_of(side->bytes), mem)
				  : STR("none"));
	buf_addf(out, " %o\n", side->exists ? side->mode : 0);
}

static struct str digest_plan(const struct undo_plan *p, struct arena *mem)
{
	char *hex = arena_alloc(mem, DIGEST_HEX + 1);
	auto_buf all = BUF_INIT;

	for (size_t i = 0; i < p->file_count; i++) {
		const struct file_preview *f = &p->files[i];

		buf_addf(&all, "%zu " STR_FMT "\n%d %zu\n", f->path.len,
			 STR_ARG(f->path), f->fault.err, f->done);
		buf_addf(&all, "%zu " STR_FMT "\n", f->places.len,
			 STR_ARG(f->places));
		if (f->sides) {
			add_side(&all, &f->sides->now, mem);
			add_side(&all, &f->sides->result, mem);
		}
	}
	digest_hex(digest_of(buf_str(&all)), hex);
	return str_of(hex);
}

static void count_outcome(struct file_preview *f, enum err e,
			  const struct undone *u, const struct fault *fault,
			  struct arena *mem)
{
	f->operations++;
	if (e == ERR_NO_CONTENT) {
		f->unknown++;
	} else if (e == ERR_UNDO_CONFLICT) {
		f->conflicts++;
		f->places =
			arena_printf(mem, STR_FMT STR_FMT, STR_ARG(f->places),
				     STR_ARG(fault->conflicts));
	} else if (e) {
		f->fault = f->fault.err ? f->fault : *fault;
	} else {
		f->done += u->how != REVISE_ALREADY;
		f->merged += u->how == REVISE_MERGED;
		f->conflicts += u->conflicts > 0;
	}
}

/* Operations of one group are undone with the first of them. */
static bool is_first_of_group(const struct undo_plan *p, size_t at)
{
	for (size_t i = 0; i < at; i++)
		if (uuid_eq(op_group(&p->ops[i]), op_group(&p->ops[at])))
			return false;
	return true;
}

/* Undo all of them, as undo_planned() would, and write nothing. */
static void make_plan(struct api_request *rq, struct owner *o,
		      struct undo_plan *p)
{
	o->call.preview = &p->preview;
	for (size_t i = 0; i < p->n; i++) {
		struct undo_group g = { 0 };
		enum err e;

		if (!is_first_of_group(p, i))
			continue;
		e = owner_undo(o, &p->ops[i], /* only= */ false, p->conflicts,
			       &g);
		for (size_t k = 0; k < g.n; k++)
			count_outcome(file_of(p, g.ops[k].path, &rq->mem), e,
				      &g.undone[k], &rq->fault, &rq->mem);
	}
	o->call.preview = NULL;
	for (size_t i = 0; i < p->preview.n; i++)
		file_of(p, p->preview.files[i].path, &rq->mem)->sides =
			&p->preview.files[i];
	rq->fault = (struct fault){ 0 };
	p->digest = digest_plan(p, &rq->mem);
}

/* How many of the operations can be undone with the memory for one request. */
static size_t count_affordable(const struct undo_plan *p)
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

static enum err pick_by_filter(struct api_request *rq, struct store *s,
			       struct undo_plan *p)
{
	struct op_pick pick = { .role = OP_DOES };
	enum err e = page_filter(rq, &pick.query);
	size_t affordable;

	if (!e)
		e = page_conflicts(rq,
				   query_text(rq->query, "conflicts", &rq->mem),
				   &p->conflicts);
	if (!e)
		e = op_pick_all(s, &pick, &rq->mem, &p->ops, &p->n, &rq->fault);
	if (e)
		return e;
	affordable = count_affordable(p);
	p->more = p->n > affordable;
	p->n = affordable;
	return ERR_OK;
}

static struct str text_of(const struct file_content *side)
{
	return side->exists ? side->bytes : STR("");
}

/* What its contents were and would be, in numbers and as a diff. */
static void put_planned_change(struct json_out *o,
			       const struct undo_preview_file *f,
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

static void put_planned_file(struct json_out *o, struct api_request *rq,
			     const struct op_view *view,
			     const struct file_preview *f, size_t *left)
{
	struct str name = shown_path(view, f->path);

	json_open(o, '{');
	json_text_member(o, "path", f->path);
	json_text_member(o, "shown", name);
	approvals_put_lookalikes(o, f->path, &rq->mem);
	put_number(o, "operations", f->operations);
	put_number(o, "done", f->done);
	put_number(o, "merged", f->merged);
	put_number(o, "conflicts", f->conflicts);
	put_number(o, "unknown", f->unknown);
	if (f->fault.err)
		json_text_member(o, "problem", fault_text(&f->fault, &rq->mem));
	if (f->done && f->sides)
		put_planned_change(o, f->sides, name, &rq->mem, left);
	json_close(o, '}');
}

static void put_plan(struct api_request *rq, const struct undo_plan *p)
{
	struct op_view view = op_view(rq->page, &rq->mem);
	struct json_out o = json_out(&rq->out);
	size_t left = MOST_DIFFS;

	json_open(&o, '{');
	json_key(&o, "operations");
	json_open(&o, '[');
	for (size_t i = 0; i < p->n; i++)
		json_put_str(&o, op_id(p->ops[i].id, &rq->mem));
	json_close(&o, ']');
	put_flag(&o, "more", p->more);
	json_text_member(&o, "digest", p->digest);
	json_key(&o, "files");
	json_open(&o, '[');
	for (size_t i = 0; i < p->file_count; i++)
		put_planned_file(&o, rq, &view, &p->files[i], &left);
	json_close(&o, ']');
	json_close(&o, '}');
}

void page_undo_preview(struct api_request *rq)
{
	struct store *s = api_store(rq);
	struct undo_plan plan = { 0 };
	auto_owner o = { 0 };

	if (!s)
		return;
	page_owner(rq, s, "stet undo", &o);
	if (pick_by_filter(rq, s, &plan)) {
		api_failed(rq);
		return;
	}
	make_plan(rq, &o, &plan);
	put_plan(rq, &plan);
}

/* ---- one operation */

/*
 * Always as if conflicts were left alone: a conflict is shown before the person
 * says how to resolve it, so that this is what their answer is bound to.
 */
static void plan_one(struct api_request *rq, struct owner *o,
		     const struct op *op, struct undo_plan *ret)
{
	*ret = (struct undo_plan){ .conflicts = CONFLICTS_ABORT };
	*(struct op *)arena_add(&rq->mem, ret->ops, ret->n) = *op;
	make_plan(rq, o, ret);
}

static void preview_one(struct api_request *rq, bool again)
{
	struct store *s = api_store(rq);
	auto_owner o = { 0 };
	struct undo_plan plan;
	struct op named, op;
	enum err e;

	if (!s)
		return;
	page_owner(rq, s, again ? "stet redo" : "stet undo", &o);
	e = history_find(s, rq->id, &rq->mem, &named, &rq->fault);
	op = named;
	if (!e && again)
		e = owner_undoing(&o, &named, &op);
	if (e) {
		api_failed(rq);
		return;
	}
	plan_one(rq, &o, &op, &plan);
	put_plan(rq, &plan);
}

void page_preview_undo(struct api_request *rq)
{
	preview_one(rq, /* again= */ false);
}

void page_preview_redo(struct api_request *rq)
{
	preview_one(rq, /* again= */ true);
}

/* ---- carry out a preview */

/* The operations that the person was shown, in the same order. */
static enum err pick_named(struct api_request *rq, struct store *s,
			   struct json body, struct undo_plan *p)
{
	struct json_walk w = json_walk(json_get(body, "operations"));
	struct json how = json_get(body, "conflicts");
	struct str id, word = STR("");
	struct op op;
	enum err e;

	if (!json_is(how, JSON_NONE) && !json_text(how, &rq->mem, &word))
		word = STR("?");
	e = page_conflicts(rq, word, &p->conflicts);
	while (!e && json_step(&w)) {
		if (p->n == MOST_OPS || !json_text(w.value, &rq->mem, &id))
			return fail(&rq->fault, ERR_BAD_ARGS,
				    .text = STR("operations are the ids of a "
						"preview, at most 1000"));
		e = history_find(s, id, &rq->mem, &op, &rq->fault);
		if (!e)
			*(struct op *)arena_add(&rq->mem, p->ops, p->n) = op;
	}
	if (!e && count_affordable(p) < p->n)
		return fail(&rq->fault, ERR_BAD_ARGS,
			    .text = STR("there are more than in the preview"));
	return e;
}

static enum err check_digest(struct api_request *rq, struct json body,
			     const struct undo_plan *p)
{
	struct str digest;

	if (json_text(json_get(body, "digest"), &rq->mem, &digest) &&
	    str_eq(digest, p->digest))
		return ERR_OK;
	return fail(&rq->fault, ERR_OLD_PREVIEW);
}

enum err page_check_preview(struct api_request *rq, struct owner *o,
			    struct json body, const struct op *op)
{
	struct undo_plan plan;

	if (json_is(json_get(body, "digest"), JSON_NONE))
		return ERR_OK;
	plan_one(rq, o, op, &plan);
	return check_digest(rq, body, &plan);
}

static size_t count_done(const struct undo_group *g)
{
	size_t done = 0;

	for (size_t i = 0; i < g->n; i++)
		done += g->undone[i].how != REVISE_ALREADY;
	return done;
}

static void undo_planned(struct api_request *rq, struct owner *o,
			 const struct undo_plan *p)
{
	struct json_out j = json_out(&rq->out);
	size_t done = 0, kept = 0;

	json_open(&j, '{');
	json_key(&j, "failed");
	json_open(&j, '[');
	for (size_t i = 0; i < p->n; i++) {
		struct undo_group g = { .n = 1 };

		if (!is_first_of_group(p, i))
			continue;
		rq->fault = (struct fault){ 0 };
		if (!owner_undo(o, &p->ops[i], /* only= */ false, p->conflicts,
				&g)) {
			done += count_done(&g);
			continue;
		}
		kept += g.n;
		json_open(&j, '{');
		put_id(&j, "id", p->ops[i].id);
		json_text_member(&j, "path", p->ops[i].path);
		json_text_member(&j, "message",
				 fault_text(&rq->fault, &rq->mem));
		json_close(&j, '}');
	}
	json_close(&j, ']');
	put_number(&j, "undone", done);
	put_number(&j, "kept", kept);
	json_text_member(&j, "session", o->caller.session);
	json_close(&j, '}');
}

void page_undo_many(struct api_request *rq)
{
	struct store *s = api_store(rq);
	struct undo_plan plan = { 0 };
	auto_owner o = { 0 };
	struct json body;

	if (!s || !api_body(rq, /* may= */ false, &body))
		return;
	page_owner(rq, s, "stet undo", &o);
	if (pick_named(rq, s, body, &plan)) {
		api_failed(rq);
		return;
	}
	make_plan(rq, &o, &plan);
	if (check_digest(rq, body, &plan))
		api_failed(rq);
	else
		undo_planned(rq, &o, &plan);
}
