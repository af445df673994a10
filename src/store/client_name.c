/*
 * client_name.c - who a client is, in words. A declared name is cut short
 * nowhere, but the dot between the parts is ours: in a name it becomes a full
 * stop, so that no client can write a part of its own.
 */
#include "store/client_name.h"

#define DOT "\xc2\xb7"

struct str client_token(struct str scope)
{
	const struct str http = STR("http:");

	if (!str_starts(scope, http))
		return STR("");
	scope = str_skip(scope, http.len);
	return str_head(scope, str_find(scope, ':'));
}

static struct str without_dots(struct str name, struct arena *mem)
{
	const struct str dot = STR(DOT);
	size_t n = 0;
	char *to;

	to = arena_alloc(mem, name.len + 1);
	while (name.len) {
		const bool is_dot = str_starts(name, dot);

		to[n++] = is_dot ? '.' : name.ptr[0];
		name = str_skip(name, is_dot ? dot.len : 1);
	}
	return str_make(to, n);
}

struct str client_unnamed(void)
{
	return STR("an unnamed client");
}

struct str client_words_of(struct str token, struct str declared,
			   struct arena *mem)
{
	const struct str name = without_dots(declared, mem);

	if (!token.len && !name.len)
		return client_unnamed();
	if (!token.len)
		return arena_printf(mem, STR_FMT " " DOT " only declared",
				    STR_ARG(name));
	if (!name.len)
		return arena_printf(mem, STR_FMT " " DOT " gives no name",
				    STR_ARG(token));
	return arena_printf(mem, STR_FMT " " DOT " calls itself " STR_FMT,
			    STR_ARG(token), STR_ARG(name));
}

struct str client_words(struct str scope, struct str declared,
			struct arena *mem)
{
	if (!scope.len)
		return declared.len ? declared : client_unnamed();
	return client_words_of(client_token(scope), declared, mem);
}

void client_put(struct json_out *o, struct str scope, struct str declared)
{
	const struct str token = client_token(scope);
	auto_arena mem = ARENA_INIT;

	json_text_member(o, "client", declared);
	if (token.len)
		json_text_member(o, "token", token);
	json_text_member(o, "who", client_words(scope, declared, &mem));
}
