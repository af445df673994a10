/*
 * exported.c - one operation as a JSON object, and back.
 *
 * A table of its texts, numbers and flags, and the few members of another kind.
 * What is read may come from anybody: every member must be there, once, and
 * within its limits.
 */
#include "base/base64.h"
#include "base/utf8_valid.h"
#include "store/history_local.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

static const char *const kinds[] = {
	[OP_CREATE] = "create", [OP_UPDATE] = "update", [OP_APPEND] = "append",
	[OP_DELETE] = "delete", [OP_MODE] = "mode",     [OP_MOVE] = "move",
	[OP_MKDIR] = "mkdir",   [OP_RMDIR] = "rmdir",   [OP_COPY] = "copy",
	[OP_LINK] = "link",
};

_Static_assert(COUNT_OF(kinds) == OP_KINDS, "a kind has no name");

const char *op_kind_name(enum op_kind kind)
{
	return kinds[kind];
}

static const char *const states[] = {
	[OP_INTENT] = "", [OP_DONE] = "done", [OP_FAILED] = "failed"
};

enum { MOST_TEXT = 64 * 1024, MOST_MODE = 07777, OTHER_MEMBERS = 13 };

/* Members that version 1 did not have: group and from. */
enum { NEWER_MEMBERS = 2 };

#define AT(member) offsetof(struct op, member)

static const struct export_field {
	const char *name;
	size_t at;
} texts[] = {
	{ "path", AT(path) },       { "tool", AT(tool) },
	{ "client", AT(client) },   { "session", AT(session) },
	{ "scope", AT(scope) },     { "call", AT(call) },
	{ "root", AT(root.path) },
}, numbers[] = {
	{ "time", AT(time_ms) },
	{ "bytes_before", AT(bytes_before) },
	{ "bytes_after", AT(bytes_after) },
}, devices[] = {
	{ "root_device", AT(root.dev) },
	{ "root_inode", AT(root.ino) },
};

/* A path may have any bytes: one that is not UTF-8 is written as base64. */
static void put_bytes_text(struct json_out *o, struct str text)
{
	auto_buf out = BUF_INIT;

	if (utf8_valid_prefix(text) == text.len) {
		json_put_str(o, text);
		return;
	}
	base64_add(&out, text);
	json_open(o, '{');
	json_text_member(o, "base64", buf_str(&out));
	json_close(o, '}');
}

static void put_id(struct json_out *o, const char *key, struct uuid id)
{
	char text[UUID_TEXT + 1] = "";

	if (!uuid_is_zero(id))
		uuid_text(id, text);
	json_text_member(o, key, str_of(text));
}

static void put_version(struct json_out *o, const char *key, struct hash h)
{
	char hex[HASH_HEX + 1];

	hash_hex(h, hex);
	json_text_member(o, key, str_of(hex));
}

static void put_digest(struct json_out *o, const char *key, bool has,
		       struct digest d)
{
	char hex[DIGEST_HEX + 1] = "";

	if (has)
		digest_hex(d, hex);
	json_text_member(o, key, str_of(hex));
}

void exported_put(struct json_out *o, const struct exported *x)
{
	const char *op = (const char *)&x->op;

	json_open(o, '{');
	put_id(o, "id", x->op.id);
	json_text_member(o, "kind", str_of(kinds[x->op.kind]));
	json_text_member(o, "state", str_of(states[x->op.state]));
	for (size_t i = 0; i < COUNT_OF(texts); i++) {
		json_key(o, texts[i].name);
		put_bytes_text(o, *(const struct str *)(op + texts[i].at));
	}
	for (size_t i = 0; i < COUNT_OF(numbers); i++) {
		json_key(o, numbers[i].name);
		json_put_int(o, (int64_t) *
					(const uint64_t *)(op + numbers[i].at));
	}
	for (size_t i = 0; i < COUNT_OF(devices); i++) {
		char digits[24];

		/* as a string: a number in JSON has 53 bits */
		(void)snprintf(digits, sizeof(digits), "%llu",
			       (unsigned long long)*(
				       const uint64_t *)(op + devices[i].at));
		json_text_member(o, devices[i].name, str_of(digits));
	}
	put_id(o, "undoes", x->op.undoes);
	put_id(o, "undone", x->op.undone);
	put_id(o, "group", x->op.group);
	json_key(o, "from");
	put_bytes_text(o, x->op.from);
	json_key(o, "existed");
	json_put_bool(o, x->op.existed);
	json_key(o, "exists");
	json_put_bool(o, x->op.exists);
	put_version(o, "before", x->op.before);
	put_version(o, "after", x->op.after);
	json_key(o, "mode_before");
	json_put_int(o, x->op.mode_before);
	json_key(o, "mode_after");
	json_put_int(o, x->op.mode_after);
	put_digest(o, "content_before", x->has_before, x->before);
	put_digest(o, "content_after", x->has_after, x->after);
	json_close(o, '}');
}

static bool read_text(struct json v, struct arena *mem, struct str *ret)
{
	struct str text;

	if (json_is(v, JSON_OBJECT))
		return json_count(v) == 1 &&
		       json_text(json_get(v, "base64"), mem, &text) &&
		       text.len <= MOST_TEXT && base64_decode(text, mem, ret) &&
		       str_find(*ret, '\0') == ret->len;
	return json_text(v, mem, ret) && ret->len <= MOST_TEXT &&
	       str_find(*ret, '\0') == ret->len;
}

static bool read_id(struct json v, struct arena *mem, struct uuid *ret)
{
	struct str text;

	*ret = (struct uuid){ 0 };
	return json_text(v, mem, &text) && (!text.len || uuid_parse(text, ret));
}

static bool read_name(struct json v, const char *const *names, size_t n,
		      unsigned *ret)
{
	for (size_t i = 0; i < n; i++)
		if (names[i][0] && json_is(v, JSON_STRING) &&
		    json_str_is(v, names[i])) {
			*ret = (unsigned)i;
			return true;
		}
	return false;
}

static bool read_decimal(struct json v, struct arena *mem, uint64_t *ret)
{
	struct str text;
	uint64_t n = 0;

	if (!json_text(v, mem, &text) || !text.len || text.len > 20)
		return false;
	for (size_t i = 0; i < text.len; i++) {
		unsigned digit = (unsigned)(text.ptr[i] - '0');

		if (digit > 9 || __builtin_mul_overflow(n, 10, &n) ||
		    __builtin_add_overflow(n, digit, &n))
			return false;
	}
	*ret = n;
	return true;
}

static bool read_version(struct json v, struct arena *mem, struct hash *ret)
{
	struct str text;

	return json_text(v, mem, &text) && hash_parse(text, ret);
}

static bool read_mode(struct json v, unsigned *ret)
{
	int64_t n;

	if (!json_int(v, &n) || n < 0 || n > MOST_MODE)
		return false;
	*ret = (unsigned)n;
	return true;
}

bool exported_digest(struct json v, struct arena *mem, struct digest *ret)
{
	struct str hex;

	return json_text(v, mem, &hex) && digest_from_hex(hex, ret);
}

static bool read_content(struct json v, struct arena *mem, bool *ret_has,
			 struct digest *ret)
{
	*ret_has = json_is(v, JSON_STRING) && !json_str_is(v, "");
	return *ret_has ? exported_digest(v, mem, ret)
			: json_is(v, JSON_STRING);
}

/* Absolute and normalised, as history_begin() gets it. */
static bool is_resolved(struct str path)
{
	struct str name;

	if (!str_starts(path, STR("/")) || path.len >= PATH_MAX)
		return false;
	path = str_skip(path, 1);
	while (path.len && str_split(&path, '/', &name))
		if (!name.len || str_is(name, ".") || str_is(name, ".."))
			return false;
	return true;
}

/* The members of the tables: NULL, or the name of the wrong one. */
static const char *read_tables(struct json v, struct arena *mem, struct op *op)
{
	char *to = (char *)op;
	int64_t n;

	for (size_t i = 0; i < COUNT_OF(texts); i++)
		if (!read_text(json_get(v, texts[i].name), mem,
			       (struct str *)(to + texts[i].at)))
			return texts[i].name;
	for (size_t i = 0; i < COUNT_OF(numbers); i++) {
		if (!json_int(json_get(v, numbers[i].name), &n) || n < 0)
			return numbers[i].name;
		*(uint64_t *)(to + numbers[i].at) = (uint64_t)n;
	}
	for (size_t i = 0; i < COUNT_OF(devices); i++)
		if (!read_decimal(json_get(v, devices[i].name), mem,
				  (uint64_t *)(to + devices[i].at)))
			return devices[i].name;
	if (!is_resolved(op->path))
		return "path";
	return op->root.path.len && !is_resolved(op->root.path) ? "root" : NULL;
}

/* NULL, or the name of the wrong one. */
static const char *read_newer(struct json v, struct arena *mem, struct op *op)
{
	if (!read_id(json_get(v, "group"), mem, &op->group))
		return "group";
	if (!read_text(json_get(v, "from"), mem, &op->from) ||
	    (op->from.len && !is_resolved(op->from)))
		return "from";
	return NULL;
}

const char *exported_read(struct json v, int64_t version, struct arena *mem,
			  struct exported *ret)
{
	const bool newer = version > 1;
	struct op *op = &ret->op;
	unsigned kind, state;
	const char *wrong;
	struct str twice;

	*ret = (struct exported){ 0 };
	if (!json_is(v, JSON_OBJECT) || json_duplicate_key(v, mem, &twice) ||
	    json_count(v) != COUNT_OF(texts) + COUNT_OF(numbers) +
				     COUNT_OF(devices) + OTHER_MEMBERS +
				     (newer ? NEWER_MEMBERS : 0))
		return "operation";
	wrong = read_tables(v, mem, op);
	if (!wrong && newer)
		wrong = read_newer(v, mem, op);
	if (wrong)
		return wrong;
	if (!read_id(json_get(v, "id"), mem, &op->id) || uuid_is_zero(op->id))
		return "id";
	if (!read_name(json_get(v, "kind"), kinds, COUNT_OF(kinds), &kind))
		return "kind";
	if (!read_name(json_get(v, "state"), states, COUNT_OF(states), &state))
		return "state";
	op->kind = (enum op_kind)kind;
	op->state = (enum op_state)state;
	if (!read_id(json_get(v, "undoes"), mem, &op->undoes))
		return "undoes";
	if (!read_id(json_get(v, "undone"), mem, &op->undone))
		return "undone";
	if (!json_bool(json_get(v, "existed"), &op->existed))
		return "existed";
	if (!json_bool(json_get(v, "exists"), &op->exists))
		return "exists";
	if (!read_version(json_get(v, "before"), mem, &op->before))
		return "before";
	if (!read_version(json_get(v, "after"), mem, &op->after))
		return "after";
	if (!read_mode(json_get(v, "mode_before"), &op->mode_before))
		return "mode_before";
	if (!read_mode(json_get(v, "mode_after"), &op->mode_after))
		return "mode_after";
	if (!read_content(json_get(v, "content_before"), mem, &ret->has_before,
			  &ret->before))
		return "content_before";
	if (!read_content(json_get(v, "content_after"), mem, &ret->has_after,
			  &ret->after))
		return "content_after";
	return NULL;
}
