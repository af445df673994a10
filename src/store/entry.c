#include "store/entry.h"

#include "store/notes.h"

enum { STRINGS = 6, PARTS = STRINGS + 2 };

enum flag {
	IS_END = 1,
	HAS_AFTER = 2,
	KEEPS_BEFORE = 4,
	KEEPS_AFTER = 8,
	IS_SPLICED = 16,
	EXISTED = 32,
	EXISTS = 64,
	HAS_ROOT = 128,
};

struct head {
	struct hash hash;
	uint64_t size, turn;
};

/* What has the same size in every note; the parts follow, end to end. */
struct fixed {
	struct uuid id, undoes;
	struct hash before, after;
	uint64_t flags, kind, state, time_ms;
	uint64_t bytes_before, bytes_after, mode_before, mode_after;
	uint64_t pid, started;
	uint64_t lens[PARTS];
};

/*
 * Behind the parts of an intent with HAS_ROOT, and before the path of the
 * root. Entries from before there was one end with their parts.
 */
struct root_fixed {
	uint64_t dev, ino;
};

static bool has_root(const struct note *n)
{
	return !n->end && n->op.root.path.len;
}

static uint64_t flags_of(const struct note *n)
{
	uint64_t flags = 0;

	flags |= n->end ? IS_END : 0;
	flags |= n->has_after ? HAS_AFTER : 0;
	flags |= n->before.kept ? KEEPS_BEFORE : 0;
	flags |= n->after.kept ? KEEPS_AFTER : 0;
	flags |= n->after.spliced ? IS_SPLICED : 0;
	flags |= n->op.existed ? EXISTED : 0;
	flags |= n->op.exists ? EXISTS : 0;
	flags |= has_root(n) ? HAS_ROOT : 0;
	return flags;
}

static struct fixed fixed_of(const struct note *n)
{
	const struct op *op = &n->op;

	return (struct fixed){
		.id = op->id,
		.undoes = op->undoes,
		.before = op->before,
		.after = op->after,
		.flags = flags_of(n),
		.kind = op->kind,
		.state = n->state,
		.time_ms = op->time_ms,
		.bytes_before = op->bytes_before,
		.bytes_after = op->bytes_after,
		.mode_before = op->mode_before,
		.mode_after = op->mode_after,
		.pid = (uint64_t)n->by.pid,
		.started = n->by.slot,
	};
}

static struct str bytes_of(const void *ptr, size_t n)
{
	return str_make(ptr, n);
}

static void put_root(struct buf *out, const struct op_root *root)
{
	const struct root_fixed fixed = { root->dev, root->ino };

	buf_add(out, bytes_of(&fixed, sizeof(fixed)));
	buf_add(out, root->path);
}

void entry_put(struct buf *out, const struct note *n, uint64_t turn)
{
	const struct op *op = &n->op;
	const struct str parts[PARTS] = {
		op->path,
		op->tool,
		op->client,
		op->session,
		op->scope,
		op->call,
		n->before.kept ? n->before.bytes : STR(""),
		n->after.kept ? n->after.bytes : STR(""),
	};
	struct fixed fixed = fixed_of(n);
	struct head head = { .size = sizeof(fixed), .turn = turn };
	const size_t start = out->len;
	struct str hashed;

	for (size_t i = 0; i < PARTS; i++) {
		fixed.lens[i] = parts[i].len;
		head.size += parts[i].len;
	}
	if (has_root(n))
		head.size += sizeof(struct root_fixed) + op->root.path.len;
	buf_add(out, bytes_of(&head, sizeof(head)));
	buf_add(out, bytes_of(&fixed, sizeof(fixed)));
	for (size_t i = 0; i < PARTS; i++)
		buf_add(out, parts[i]);
	if (has_root(n))
		put_root(out, &op->root);
	hashed = str_skip(buf_str(out), start + sizeof(head.hash));
	head.hash = hash_of(hashed);
	memcpy(out->ptr + start, &head.hash, sizeof(head.hash));
}

bool entry_begins(struct str bytes)
{
	struct head head;

	if (bytes.len < sizeof(head))
		return false;
	memcpy(&head, bytes.ptr, sizeof(head));
	return head.size;
}

static bool get_root(struct str bytes, struct op_root *ret)
{
	struct root_fixed fixed;

	if (bytes.len <= sizeof(fixed))
		return false;
	memcpy(&fixed, bytes.ptr, sizeof(fixed));
	*ret = (struct op_root){ str_skip(bytes, sizeof(fixed)), fixed.dev,
				 fixed.ino };
	return true;
}

/* The parts of @bytes, if they are exactly that. */
static bool split(const struct fixed *fixed, struct str bytes,
		  struct str parts[PARTS], struct op_root *ret_root)
{
	for (size_t i = 0; i < PARTS; i++) {
		if (fixed->lens[i] > bytes.len)
			return false;
		parts[i] = str_make(bytes.ptr, (size_t)fixed->lens[i]);
		bytes = str_skip(bytes, parts[i].len);
	}
	*ret_root = (struct op_root){ 0 };
	if (fixed->flags & HAS_ROOT ? !get_root(bytes, ret_root) : bytes.len)
		return false;
	return fixed->kind <= OP_MODE && fixed->state <= OP_FAILED;
}

static struct note *note_of(const struct fixed *fixed, const struct str *parts,
			    struct op_root root)
{
	const uint64_t flags = fixed->flags;
	const struct op op = {
		.id = fixed->id,
		.time_ms = fixed->time_ms,
		.kind = (enum op_kind)fixed->kind,
		.path = parts[0],
		.tool = parts[1],
		.client = parts[2],
		.session = parts[3],
		.scope = parts[4],
		.call = parts[5],
		.undoes = fixed->undoes,
		.existed = flags & EXISTED,
		.exists = flags & EXISTS,
		.before = fixed->before,
		.after = fixed->after,
		.bytes_before = fixed->bytes_before,
		.bytes_after = fixed->bytes_after,
		.mode_before = (unsigned)fixed->mode_before,
		.mode_after = (unsigned)fixed->mode_after,
		.root = root,
	};
	struct note *n = note_new(&op, 0, NULL);

	n->by = (struct process){ (int64_t)fixed->pid, fixed->started };
	n->end = flags & IS_END;
	n->state = (enum op_state)fixed->state;
	n->has_after = flags & HAS_AFTER;
	n->before.kept = flags & KEEPS_BEFORE;
	n->before.bytes = parts[STRINGS];
	n->after.kept = flags & KEEPS_AFTER;
	n->after.spliced = flags & IS_SPLICED;
	n->after.bytes = parts[STRINGS + 1];
	return n;
}

struct note *entry_get(struct str *rest, uint64_t *turn)
{
	struct str parts[PARTS], body;
	struct op_root root;
	struct fixed fixed;
	struct head head;

	if (!entry_begins(*rest))
		return NULL;
	memcpy(&head, rest->ptr, sizeof(head));
	if (head.size > rest->len - sizeof(head) || head.size < sizeof(fixed) ||
	    (*turn && *turn != head.turn))
		return NULL;
	body = str_make(rest->ptr, sizeof(head) + (size_t)head.size);
	if (!hash_eq(hash_of(str_skip(body, sizeof(head.hash))), head.hash))
		return NULL;
	memcpy(&fixed, body.ptr + sizeof(head), sizeof(fixed));
	if (!split(&fixed, str_skip(body, sizeof(head) + sizeof(fixed)), parts,
		   &root))
		return NULL;
	*rest = str_skip(*rest, body.len);
	*turn = head.turn;
	return note_of(&fixed, parts, root);
}
