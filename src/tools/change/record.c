/*
 * record.c - the history entry of one change: begin, wait until it is durable,
 * end.
 *
 * record_ready() is called by the workspace just before the file changes; a
 * history that cannot be written refuses the change only where the option or a
 * full disk demands it.
 */
#include "tools/change/record.h"

#include "base/clock.h"
#include "store/approvals.h"

#include <errno.h>

/*
 * Must the new content be stored with the intent? Usually it comes with the end:
 * after a crash the file has it, or the change did not happen. Appended bytes
 * cannot be told from the rest of the file that way.
 */
static bool at_once(const struct op *op)
{
	return op->kind == OP_APPEND;
}

/* The root, by which undo notices that the directory is another one. */
static struct op_root root_of(struct call *c, struct str key)
{
	struct root_id root;

	if (!ws_root_of(c->ws, key, c->mem, &root))
		return (struct op_root){ 0 };
	return (struct op_root){ root.path, root.dev, root.ino };
}

void record_begin(struct call *c, struct record *r, const struct op *op,
		  struct str before, struct str after)
{
	*r = (struct record){ .call = c, .op = *op, .after = after };
	if (!c->options->store)
		return;
	r->op.tool = str_of(c->tool->name);
	r->op.client = c->caller->client;
	r->op.session = c->caller->session;
	r->op.scope = c->caller->scope;
	r->op.call = c->id;
	r->op.root = root_of(c, r->op.path);
	r->begun = true;
	history_begin(c->options->store, &r->op, before,
		      at_once(&r->op) ? after : (struct str){ 0 }, &r->ticket);
}

/* Is old content lost unless the history keeps it? */
static bool op_destroys(const struct op *op)
{
	return op->kind == OP_UPDATE || op->kind == OP_DELETE;
}

static bool is_full(const struct fault *f)
{
	return f->os == ENOSPC || f->os == EDQUOT || f->os == EFBIG;
}

enum err record_ready(void *ctx, struct fault *f)
{
	struct record *r = ctx;
	const struct tool_options *options = r->call->options;
	enum err e;

	if (!r->begun || r->waited)
		return ERR_OK;
	r->waited = true;
	e = history_wait(options->store, r->ticket, f);
	if (!e)
		return ERR_OK;
	r->lost = fault_text(f, r->call->mem);
	if (is_full(f) && op_destroys(&r->op)) {
		f->hint = STR(
			"The disk of the state directory is full, so the change could not be undone later. The user can free space there, run 'stet gc', or start with --history=off");
		return e;
	}
	return options->store_must ? e : ERR_OK;
}

/*
 * The offset is known only now. Appended bytes are few: write the intent and
 * wait for it at once.
 */
enum err record_ready_at(void *ctx, uint64_t at, struct str bytes,
			 struct fault *f)
{
	struct record *r = ctx;
	struct op op = r->op;

	op.bytes_before = at;
	op.bytes_after = bytes.len;
	op.after = hash_of(bytes);
	record_begin(r->call, r, &op, STR(""), bytes);
	return record_ready(r, f);
}

/* Link the approval to the operation that it allowed, of a group the first. */
static void bind_answer(struct record *r)
{
	struct call *c = r->call;

	if (uuid_is_zero(c->approval) ||
	    (!str_eq(c->question.path, r->op.path) &&
	     !uuid_eq(r->op.group, r->op.id)))
		return;
	approval_bind(c->options->store, c->approval, r->op.id);
	c->approval = (struct uuid){ 0 };
}

void record_end(struct record *r, enum err e)
{
	struct fault ignored;
	bool done;

	if (!r->begun)
		return;
	/* The content must not be freed before the store has copied it. */
	if (!r->waited)
		(void)!record_ready(r, &ignored);
	if (r->lost.len) /* there is no intent to end */
		return;
	/*
	 * ERR_OVERTAKEN: it was written, and then overwritten by another
	 * program.
	 */
	done = !e || e == ERR_OVERTAKEN;
	if (done)
		bind_answer(r);
	if (done && r->splices) {
		history_end_spliced(r->call->options->store, &r->op, r->after,
				    r->splices, r->splice_count);
		return;
	}
	history_end(r->call->options->store, &r->op, done ? OP_DONE : OP_FAILED,
		    done && !at_once(&r->op) ? &r->after : NULL);
}

struct str record_name(const struct record *r)
{
	char text[UUID_TEXT + 1];

	uuid_text(r->op.id, text);
	return arena_copy(r->call->mem, str_of(text));
}

/* "12 s ago", "5 min ago". */
static struct str words_ago(struct call *c, uint64_t time_ms)
{
	uint64_t now = clock_unix_ms();
	uint64_t s = now > time_ms ? (now - time_ms) / 1000 : 0;

	if (s < 120)
		return arena_printf(c->mem, "%u s ago", (unsigned)s);
	if (s < 7200)
		return arena_printf(c->mem, "%u min ago", (unsigned)(s / 60));
	return arena_printf(c->mem, "%u h ago", (unsigned)(s / 3600));
}

/* The operation that wrote this version; its end may not be recorded yet. */
static bool find_writer(struct call *c, struct str key, struct hash version,
			struct op *ret)
{
	struct history_query q = { .path = key, .intents = true, .limit = 8 };
	struct fault ignored;
	struct op *ops;
	size_t n;

	if (!c->options->store ||
	    history_list(c->options->store, &q, c->mem, &ops, &n, &ignored))
		return false;
	for (size_t i = 0; i < n; i++) {
		if (ops[i].state == OP_FAILED)
			continue;
		*ret = ops[i];
		return ret->exists && hash_eq(ret->after, version);
	}
	return false;
}

void record_report_writer(struct call *c, struct str key, struct hash version)
{
	char id[UUID_TEXT + 1], time[CLOCK_STAMP];
	auto_buf out = BUF_INIT;
	struct json_out o;
	struct op op;

	if (!find_writer(c, key, version, &op))
		return;
	uuid_text(op.id, id);
	clock_stamp_of(op.time_ms, time);
	o = json_out(&out);
	json_open(&o, '{');
	json_text_member(&o, "client", op.client);
	json_text_member(&o, "tool", op.tool);
	json_text_member(&o, "time", str_of(time));
	json_text_member(&o, "operation", str_of(id));
	json_close(&o, '}');
	c->fault->by = arena_copy(c->mem, buf_str(&out));
	c->fault->hint =
		arena_printf(c->mem,
			     "Changed by " STR_FMT " (" STR_FMT ") " STR_FMT,
			     STR_ARG(op.client.len ? op.client : STR("stet")),
			     STR_ARG(op.tool),
			     STR_ARG(words_ago(c, op.time_ms)));
}
