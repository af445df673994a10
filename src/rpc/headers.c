/*
 * headers.c - compares HTTP headers with the JSON-RPC message of the body, as
 * 2026-07-28 demands it. Pure: headers and message in, a sentence out.
 */
#include "rpc/headers.h"

#include "base/base64.h"

/* Methods that need Mcp-Name, and the member of params that it repeats. */
static const struct {
	const char *method, *member;
} named[] = {
	{ "tools/call", "name" },
	{ "prompts/get", "name" },
	{ "resources/read", "uri" },
};

static bool json_has_text(struct json v, struct str text, struct arena *mem)
{
	struct str own;

	return json_text(v, mem, &own) && str_eq(own, text);
}

const char *headers_contradict(const struct headers *h, struct json version,
			       struct str method, struct arena *mem)
{
	if (h->version.ptr && !json_has_text(version, h->version, mem))
		return "MCP-Protocol-Version differs from the version in params._meta";
	if (h->method.ptr && !str_eq(h->method, method))
		return "Mcp-Method differs from the method of the message";
	return NULL;
}

bool headers_text(struct str value, struct arena *mem, struct str *ret)
{
	static const struct str open = STR_INIT("=?base64?"),
				end = STR_INIT("?=");

	*ret = value;
	if (!str_starts(value, open) || !str_ends(value, end) ||
	    value.len < open.len + end.len)
		return true;
	return base64_decode(str_sub(value, open.len, value.len - end.len), mem,
			     ret);
}

static const char *check_name(const struct headers *h, struct json given,
			      struct arena *mem)
{
	struct str name;

	if (!h->name.ptr)
		return "The header Mcp-Name is missing";
	if (!headers_text(h->name, mem, &name) ||
	    !json_has_text(given, name, mem))
		return "Mcp-Name differs from the name in params";
	return NULL;
}

const char *headers_incomplete(const struct headers *h, struct str method,
			       struct json params, struct arena *mem)
{
	if (!h->version.ptr)
		return "The header MCP-Protocol-Version is missing";
	if (!h->method.ptr)
		return "The header Mcp-Method is missing";
	for (size_t i = 0; i < COUNT_OF(named); i++)
		if (str_is(method, named[i].method))
			return check_name(h, json_get(params, named[i].member),
					  mem);
	return NULL;
}

/* The header's text for an argument; false: this type has no header. */
static bool argument_text(struct json v, struct arena *mem, struct str *ret)
{
	switch (json_kind(v)) {
	case JSON_STRING:
		return json_text(v, mem, ret);
	case JSON_TRUE:
	case JSON_FALSE:
	case JSON_NUMBER:
		*ret = json_raw(v);
		return true;
	case JSON_NONE:
	case JSON_NULL:
	case JSON_ARRAY:
	case JSON_OBJECT:
		break;
	}
	return false;
}

static const char *check_param(const struct headers *h, struct str name,
			       struct json given, struct arena *mem)
{
	struct str header = { 0 }, said, own;
	bool has = argument_text(given, mem, &own);

	if (h->find)
		header = h->find(h, arena_printf(mem, "Mcp-Param-" STR_FMT,
						 STR_ARG(name))
					    .ptr);
	if (!header.ptr)
		return has ? "A header Mcp-Param-* is missing" : NULL;
	if (!has || !headers_text(header, mem, &said) || !str_eq(said, own))
		return "A header Mcp-Param-* differs from the argument in params";
	return NULL;
}

const char *headers_differ(const struct headers *h, struct str schema,
			   struct json arguments, struct arena *mem)
{
	static const struct json_limits limits = { 0 };
	struct json_error ignored;
	const char *wrong = NULL;
	struct str name, key;
	struct json_walk w;
	struct json root;

	if (json_parse(schema, &limits, mem, &root, &ignored))
		return NULL;
	w = json_walk(json_get(root, "properties"));
	while (!wrong && json_step(&w))
		if (json_text(json_get(w.value, "x-mcp-header"), mem, &name) &&
		    json_text(w.key, mem, &key))
			wrong = check_param(h, name,
					    json_get(arguments,
						     arena_cstr(mem, key)),
					    mem);
	return wrong;
}
