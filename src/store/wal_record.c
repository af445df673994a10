/*
 * wal_record.c - encode and decode the records of a write-ahead log.
 *
 * Pure functions on bytes. What is read may be torn or damaged: lengths are
 * checked against what there is, and the hash before anything else is used.
 */
#include "store/wal_record.h"

#include "store/pending_op.h"

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
	HAS_GRANT = 256,
};

/*
 * A bit of the kind, not of the flags: a version that does not know it finds no
 * valid record, instead of taking what follows for the root.
 */
enum { HAS_GROUP = 1 << 8 };

struct record_header {
	struct hash hash; /* of all that follows, to the end of the body */
	uint64_t size;    /* of the body: what follows this header */
	uint64_t generation;
};

/* The part of the body with a fixed size; the strings follow, end to end. */
struct record_fixed {
	struct uuid id, undoes;
	struct hash before, after;
	uint64_t flags, kind, state, time_ms;
	uint64_t bytes_before, bytes_after, mode_before, mode_after;
	uint64_t pid, started; /* struct process_id: pid and slot */
	uint64_t lens[PARTS];
};

/*
 * Follows the parts of an intent with HAS_ROOT, and precedes the path of the
 * root, which is the rest. With HAS_GRANT, the id of the grant comes before
 * both. Records of versions that knew neither end with their parts.
 */
struct root_fixed {
	uint64_t dev, ino;
};

/* With HAS_GROUP: follows the id of the grant; op.from comes behind it. */
struct group_fixed {
	struct uuid group;
	uint64_t from_len;
};

/* What follows the parts. */
struct record_rest {
	struct uuid grant, group;
	struct str from;
	struct op_root root;
};

static bool has_root(const struct pending_op *p)
{
	return !p->end && p->op.root.path.len;
}

static bool has_grant(const struct pending_op *p)
{
	return !p->end && !uuid_is_zero(p->op.granted_by);
}

static bool has_group(const struct pending_op *p)
{
	return !p->end && (!uuid_is_zero(p->op.group) || p->op.from.len);
}

static uint64_t flags_of(const struct pending_op *p)
{
	uint64_t flags = 0;

	flags |= p->end ? IS_END : 0;
	flags |= p->has_after ? HAS_AFTER : 0;
	flags |= p->before.kept ? KEEPS_BEFORE : 0;
	flags |= p->after.kept ? KEEPS_AFTER : 0;
	flags |= p->after.spliced ? IS_SPLICED : 0;
	flags |= p->op.existed ? EXISTED : 0;
	flags |= p->op.exists ? EXISTS : 0;
	flags |= has_root(p) ? HAS_ROOT : 0;
	flags |= has_grant(p) ? HAS_GRANT : 0;
	return flags;
}

static struct record_fixed fixed_of(const struct pending_op *p)
{
	const struct op *op = &p->op;

	return (struct record_fixed){
		.id = op->id,
		.undoes = op->undoes,
		.before = op->before,
		.after = op->after,
		.flags = flags_of(p),
		.kind = op->kind | (has_group(p) ? HAS_GROUP : 0),
		.state = p->state,
		.time_ms = op->time_ms,
		.bytes_before = op->bytes_before,
		.bytes_after = op->bytes_after,
		.mode_before = op->mode_before,
		.mode_after = op->mode_after,
		.pid = (uint64_t)p->by.pid,
		.started = p->by.slot,
	};
}

static struct str bytes_of(const void *ptr, size_t p)
{
	return str_make(ptr, p);
}

static void put_group(struct buf *out, const struct op *op)
{
	const struct group_fixed fixed = { op->group, op->from.len };

	buf_add(out, bytes_of(&fixed, sizeof(fixed)));
	buf_add(out, op->from);
}

static void put_root(struct buf *out, const struct op_root *root)
{
	const struct root_fixed fixed = { root->dev, root->ino };

	buf_add(out, bytes_of(&fixed, sizeof(fixed)));
	buf_add(out, root->path);
}

void wal_record_put(struct buf *out, const struct pending_op *p,
		    uint64_t generation)
{
	const struct op *op = &p->op;
	const struct str parts[PARTS] = {
		op->path,
		op->tool,
		op->client,
		op->session,
		op->scope,
		op->call,
		p->before.kept ? p->before.bytes : STR(""),
		p->after.kept ? p->after.bytes : STR(""),
	};
	struct record_fixed fixed = fixed_of(p);
	struct record_header header = { .size = sizeof(fixed),
					.generation = generation };
	const size_t start = out->len;
	struct str hashed;

	for (size_t i = 0; i < PARTS; i++) {
		fixed.lens[i] = parts[i].len;
		header.size += parts[i].len;
	}
	if (has_grant(p))
		header.size += sizeof(op->granted_by);
	if (has_group(p))
		header.size += sizeof(struct group_fixed) + op->from.len;
	if (has_root(p))
		header.size += sizeof(struct root_fixed) + op->root.path.len;
	buf_add(out, bytes_of(&header, sizeof(header)));
	buf_add(out, bytes_of(&fixed, sizeof(fixed)));
	for (size_t i = 0; i < PARTS; i++)
		buf_add(out, parts[i]);
	if (has_grant(p))
		buf_add(out, bytes_of(&op->granted_by, sizeof(op->granted_by)));
	if (has_group(p))
		put_group(out, op);
	if (has_root(p))
		put_root(out, &op->root);
	hashed = str_skip(buf_str(out), start + sizeof(header.hash));
	header.hash = hash_of(hashed);
	memcpy(out->ptr + start, &header.hash, sizeof(header.hash));
}

uint64_t wal_record_generation(struct str bytes)
{
	struct record_header header;

	if (bytes.len < sizeof(header))
		return 0;
	memcpy(&header, bytes.ptr, sizeof(header));
	return header.size ? header.generation : 0;
}

static bool get_grant(struct str *bytes, struct uuid *ret)
{
	if (bytes->len < sizeof(*ret))
		return false;
	memcpy(ret, bytes->ptr, sizeof(*ret));
	*bytes = str_skip(*bytes, sizeof(*ret));
	return true;
}

static bool get_group(struct str *bytes, struct record_rest *ret)
{
	struct group_fixed fixed;

	if (bytes->len < sizeof(fixed))
		return false;
	memcpy(&fixed, bytes->ptr, sizeof(fixed));
	*bytes = str_skip(*bytes, sizeof(fixed));
	if (fixed.from_len > bytes->len)
		return false;
	ret->group = fixed.group;
	ret->from = str_head(*bytes, (size_t)fixed.from_len);
	*bytes = str_skip(*bytes, ret->from.len);
	return true;
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

/* False unless the lengths in @fixed account for all of @bytes. */
static bool split_parts(const struct record_fixed *fixed, struct str bytes,
			struct str parts[PARTS], struct record_rest *ret)
{
	for (size_t i = 0; i < PARTS; i++) {
		if (fixed->lens[i] > bytes.len)
			return false;
		parts[i] = str_make(bytes.ptr, (size_t)fixed->lens[i]);
		bytes = str_skip(bytes, parts[i].len);
	}
	*ret = (struct record_rest){ 0 };
	if (fixed->flags & HAS_GRANT && !get_grant(&bytes, &ret->grant))
		return false;
	if (fixed->kind & HAS_GROUP && !get_group(&bytes, ret))
		return false;
	if (fixed->flags & HAS_ROOT ? !get_root(bytes, &ret->root) : bytes.len)
		return false;
	return (fixed->kind & ~(uint64_t)HAS_GROUP) < OP_KINDS &&
	       fixed->state <= OP_FAILED;
}

static struct pending_op *pending_op_of(const struct record_fixed *fixed,
					const struct str *parts,
					const struct record_rest *rest)
{
	const uint64_t flags = fixed->flags;
	const struct op op = {
		.id = fixed->id,
		.time_ms = fixed->time_ms,
		.kind = (enum op_kind)(fixed->kind & ~(uint64_t)HAS_GROUP),
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
		.root = rest->root,
		.granted_by = rest->grant,
		.group = rest->group,
		.from = rest->from,
	};
	struct pending_op *p = pending_op_new(&op, 0, NULL);

	p->by = (struct process_id){ (int64_t)fixed->pid, fixed->started };
	p->end = flags & IS_END;
	p->state = (enum op_state)fixed->state;
	p->has_after = flags & HAS_AFTER;
	p->before.kept = flags & KEEPS_BEFORE;
	p->before.bytes = parts[STRINGS];
	p->after.kept = flags & KEEPS_AFTER;
	p->after.spliced = flags & IS_SPLICED;
	p->after.bytes = parts[STRINGS + 1];
	return p;
}

struct pending_op *wal_record_get(struct str *rest, uint64_t *generation)
{
	struct str parts[PARTS], body;
	struct record_rest tail;
	struct record_fixed fixed;
	struct record_header header;

	if (!wal_record_generation(*rest))
		return NULL;
	memcpy(&header, rest->ptr, sizeof(header));
	if (header.size > rest->len - sizeof(header) ||
	    header.size < sizeof(fixed) ||
	    (*generation && *generation != header.generation))
		return NULL;
	body = str_make(rest->ptr, sizeof(header) + (size_t)header.size);
	if (!hash_eq(hash_of(str_skip(body, sizeof(header.hash))), header.hash))
		return NULL;
	memcpy(&fixed, body.ptr + sizeof(header), sizeof(fixed));
	if (!split_parts(&fixed, str_skip(body, sizeof(header) + sizeof(fixed)),
			 parts, &tail))
		return NULL;
	*rest = str_skip(*rest, body.len);
	*generation = header.generation;
	return pending_op_of(&fixed, parts, &tail);
}
