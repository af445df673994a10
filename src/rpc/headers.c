#include "rpc/headers.h"

#include "base/base64.h"

/* Methods that have something with a name, and where the body has it. */
static const struct {
	const char *method, *member;
} named[] = {
	{ "tools/call", "name" },
	{ "prompts/get", "name" },
	{ "resources/read", "uri" },
};

static bool says(struct json v, struct str text, struct arena *mem)
{
	struct str own;

	return json_text(v, mem, &own) && str_eq(own, text);
}

const char *headers_contradict(const struct headers *h, struct json version,
			       struct str method, struct arena *mem)
{
	if (h->version.ptr && !says(version, h->version, mem))
		return "MCP-Protocol-Version is not the version in params._meta";
	if (h->method.ptr && !str_eq(h->method, method))
		return "Mcp-Method is not the method of the message";
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
	if (!headers_text(h->name, mem, &name) || !says(given, name, mem))
		return "Mcp-Name is not the name in params";
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
