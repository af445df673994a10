/*
 * operations.c - operations of the history as rows of a result, and which of
 * them are undone.
 *
 * An undo is an operation that points to the one it undoes, and can be undone
 * itself: whether an operation counts is the parity of that chain.
 */
#include "tools/history/operations.h"

#include "store/client_name.h"

#include <time.h>

/* Limit for chains of undo and redo, in case they form a loop. */
enum { MOST_STEPS = 1000, PAGE = 200 };

const struct field op_row_fields[] = {
	{ "id", FIELD_STR, .required = true,
	  .offset = offsetof(struct op_row, id),
	  .doc = "Id of the operation; a part of it is enough if it is unique (at least 4 digits)" },
	{ "time", FIELD_STR, .required = true, .format = "date-time",
	  .offset = offsetof(struct op_row, time), .doc = "When it began" },
	{ "kind", FIELD_STR, .required = true,
	  .offset = offsetof(struct op_row, kind),
	  .doc = "create, update, append, delete, mode, move, mkdir, rmdir, copy or link" },
	{ "state", FIELD_STR, .required = true,
	  .offset = offsetof(struct op_row, state),
	  .doc = "done, failed (nothing was changed) or unknown" },
	{ "path", FIELD_STR, .required = true,
	  .offset = offsetof(struct op_row, path),
	  .doc = "The file, with all links resolved" },
	{ "tool", FIELD_STR, .offset = offsetof(struct op_row, tool),
	  .doc = "What made it" },
	{ "client", FIELD_STR, .offset = offsetof(struct op_row, client),
	  .doc = "Declared name of the client" },
	{ "token", FIELD_STR, .offset = offsetof(struct op_row, token),
	  .doc = "The name of the token that it came with" },
	{ "session", FIELD_STR, .offset = offsetof(struct op_row, session),
	  .doc = "One connection of that client" },
	{ "call", FIELD_STR, .offset = offsetof(struct op_row, call),
	  .doc = "The call that it was part of" },
	{ "group", FIELD_STR, .offset = offsetof(struct op_row, group),
	  .doc = "What one call changed together: the id of its first operation" },
	{ "group_size", FIELD_INT,
	  .offset = offsetof(struct op_row, group_size),
	  .doc = "Operations of that group" },
	{ "from", FIELD_STR, .offset = offsetof(struct op_row, from),
	  .doc = "Where a move or copy came from" },
	{ "active", FIELD_BOOL, .required = true,
	  .offset = offsetof(struct op_row, active),
	  .doc = "The change was made and has not been undone" },
	{ "undoes", FIELD_STR, .offset = offsetof(struct op_row, undoes),
	  .doc = "The operation that this one undoes" },
	{ "undone", FIELD_STR, .offset = offsetof(struct op_row, undone),
	  .doc = "The latest operation that undid this one" },
	{ "existed", FIELD_BOOL, .required = true,
	  .offset = offsetof(struct op_row, existed),
	  .doc = "There was a file before" },
	{ "exists", FIELD_BOOL, .required = true,
	  .offset = offsetof(struct op_row, exists),
	  .doc = "There was one afterwards" },
	{ "before", FIELD_STR, .offset = offsetof(struct op_row, before),
	  .doc = "Version of the content before" },
	{ "after", FIELD_STR, .offset = offsetof(struct op_row, after),
	  .doc = "Version of the content afterwards" },
	{ "bytes_before", FIELD_INT, .required = true,
	  .offset = offsetof(struct op_row, bytes_before),
	  .doc = "Size of the file before" },
	{ "bytes_after", FIELD_INT, .required = true,
	  .offset = offsetof(struct op_row, bytes_after),
	  .doc = "Size of the file afterwards" },
	{ "mode_before", FIELD_STR,
	  .offset = offsetof(struct op_row, mode_before),
	  .doc = "Permissions before, in octal" },
	{ "mode_after", FIELD_STR,
	  .offset = offsetof(struct op_row, mode_after),
	  .doc = "Permissions afterwards, in octal" },
	FIELDS_END,
};

const char *op_state_name(enum op_state state)
{
	static const char *const names[] = {
		[OP_INTENT] = "unknown",
		[OP_DONE] = "done",
		[OP_FAILED] = "failed",
	};

	return names[state];
}

struct str op_id(struct uuid id, struct arena *mem)
{
	char text[UUID_TEXT + 1];

	if (uuid_is_zero(id))
		return STR("");
	uuid_text(id, text);
	return arena_copy(mem, str_of(text));
}

struct str op_time(uint64_t time_ms, struct arena *mem)
{
	time_t seconds = (time_t)(time_ms / 1000);
	char stamp[32];
	struct tm utc;

	if (!gmtime_r(&seconds, &utc) ||
	    !strftime(stamp, sizeof(stamp), "%Y-%m-%dT%H:%M:%S", &utc))
		return STR("");
	return arena_printf(mem, "%s.%03uZ", stamp, (unsigned)(time_ms % 1000));
}

static struct str version_of(struct hash h, bool known, struct arena *mem)
{
	if (!known || hash_eq(h, (struct hash){ 0 }))
		return STR("");
	return hash_text(h, mem);
}

static struct str mode_of(unsigned mode, struct arena *mem)
{
	return mode ? arena_printf(mem, "%04o", mode) : STR("");
}

void op_row_fill(struct store *s, const struct op *op, struct arena *mem,
		 struct op_row *ret)
{
	*ret = (struct op_row){
		.id = op_id(op->id, mem),
		.time = op_time(op->time_ms, mem),
		.kind = str_of(op_kind_name(op->kind)),
		.state = str_of(op_state_name(op->state)),
		.path = op->path,
		.tool = op->tool,
		.client = op->client,
		.token = client_token(op->scope),
		.session = op->session,
		.call = op->call,
		.group = op_id(op->group, mem),
		.from = op->from,
		.undoes = op_id(op->undoes, mem),
		.undone = op_id(op->undone, mem),
		.before = version_of(op->before, op->existed, mem),
		.after = version_of(op->after, op->exists, mem),
		.mode_before = mode_of(op->mode_before, mem),
		.mode_after = mode_of(op->mode_after, mem),
		.bytes_before = (int64_t)op->bytes_before,
		.bytes_after = (int64_t)op->bytes_after,
		.existed = op->existed,
		.exists = op->exists,
		.active = op_active(s, op),
	};
	if (ret->group.len)
		ret->group_size = (int64_t)history_group_size(s, op);
}

size_t op_added(struct str there, struct str added)
{
	if (str_starts(there, added))
		return added.len;
	if (str_starts(there, STR("\n")) &&
	    str_starts(str_skip(there, 1), added))
		return added.len + 1;
	return 0;
}

/* The operation that @id names, if it is still kept. */
static bool op_find(struct store *s, struct uuid id, struct arena *mem,
		    struct op *ret)
{
	struct fault ignored = { 0 };
	char text[UUID_TEXT + 1];

	if (uuid_is_zero(id))
		return false;
	uuid_text(id, text);
	return !history_find(s, str_of(text), mem, ret, &ignored);
}

/* Follow undoes to the original change, *@ret; returns the steps. */
static unsigned go_back(struct store *s, const struct op *op, struct uuid *ret)
{
	struct uuid undoes = op->undoes;
	struct op other;
	unsigned steps = 0;

	*ret = (struct uuid){ 0 };
	while (!uuid_is_zero(undoes) && steps < MOST_STEPS) {
		auto_arena scratch = ARENA_INIT;

		steps++;
		*ret = undoes;
		if (!op_find(s, undoes, &scratch, &other))
			break;
		undoes = other.undoes;
	}
	return steps;
}

enum op_role op_role(struct store *s, const struct op *op)
{
	struct uuid ignored;
	unsigned steps = go_back(s, op, &ignored);

	if (!steps)
		return OP_DOES;
	return steps % 2 ? OP_UNDOES : OP_REDOES;
}

struct uuid op_about(struct store *s, const struct op *op)
{
	struct uuid about;

	(void)go_back(s, op, &about);
	return about;
}

bool op_active(struct store *s, const struct op *op)
{
	struct uuid undone = op->undone;
	unsigned steps = 0;
	struct op other;

	if (op->state != OP_DONE)
		return false;
	while (steps < MOST_STEPS) {
		auto_arena scratch = ARENA_INIT;

		if (!op_find(s, undone, &scratch, &other))
			break;
		steps++;
		undone = other.undone;
	}
	return steps % 2 == 0;
}

static bool op_fits(struct store *s, const struct op_pick *pick,
		    const struct op *op, struct arena *mem)
{
	/* Cheap checks first: op_role() and op_active() query the store. */
	if ((pick->role == OP_DOES) != uuid_is_zero(op->undoes))
		return false;
	return op->state == OP_DONE && op_role(s, op) == pick->role &&
	       op_active(s, op) && (!pick->may || pick->may(pick->ctx, op));
}

/* At most @most matching operations. */
static enum err op_pick_some(struct store *s, const struct op_pick *p,
			     size_t most, struct arena *mem, struct op **ret,
			     size_t *ret_n, struct fault *f)
{
	struct history_query q = p->query;
	struct op *found = NULL, *ops;
	size_t n = 0, got = PAGE;
	enum err e;

	q.limit = PAGE;
	for (q.skip = 0; got == PAGE && n < most; q.skip += PAGE) {
		e = history_list(s, &q, mem, &ops, &got, f);
		if (e)
			return e;
		found = arena_grow(mem, found, n * sizeof(*found),
				   (n + got) * sizeof(*found));
		for (size_t i = 0; i < got && n < most; i++)
			if (op_fits(s, p, &ops[i], mem))
				found[n++] = ops[i];
	}
	*ret = found;
	*ret_n = n;
	return ERR_OK;
}

enum err op_pick_all(struct store *s, const struct op_pick *p,
		     struct arena *mem, struct op **ret, size_t *ret_n,
		     struct fault *f)
{
	return op_pick_some(s, p, SIZE_MAX, mem, ret, ret_n, f);
}

enum err op_pick_last(struct store *s, const struct op_pick *p,
		      struct arena *mem, struct op *ret, struct fault *f)
{
	struct op *found;
	size_t n;
	enum err e = op_pick_some(s, p, 1, mem, &found, &n, f);

	if (e)
		return e;
	if (!n)
		return fail(f, ERR_NO_UNDO,
			    .name = p->role == OP_UNDOES ? STR("redo")
							 : STR("undo"));
	*ret = found[0];
	return ERR_OK;
}
