/*
 * server.c - the state of a client (struct link), and serverInfo.
 *
 * Links belong to the loop thread; a caller made by link_caller() points into
 * its link and is read by workers, so the strings there are set once.
 */
#include "rpc/server.h"

#include "base/clock.h"
#include "text/encoding/utf8.h"
#include "tools/reading/readstate.h"

static const struct dialect dialects[] = {
#define DIALECT(version, batches, elicits, primes) \
	{ STR_INIT(version), batches, elicits, primes },
#include "rpc/dialects.def"
#undef DIALECT
};

const struct dialect *const dialect_newest = &dialects[0];

const struct dialect *dialect_named(struct str version)
{
	for (size_t i = 0; i < COUNT_OF(dialects); i++)
		if (str_eq(dialects[i].version, version))
			return &dialects[i];
	return NULL;
}

/* "codex 0.166.0". The client chooses both parts: limit their length. */
static void name_client(struct json info, struct arena *mem, struct str *name,
			struct str *full)
{
	enum { MOST = 100 };
	struct str version;

	*name = *full = STR("");
	if (!json_text(json_get(info, "name"), mem, name))
		return;
	*name = *full = utf8_head(*name, MOST);
	if (json_text(json_get(info, "version"), mem, &version) && version.len)
		*full = arena_join(mem,
				   (struct str[]){ *name, STR(" "),
						   utf8_head(version, MOST) },
				   3);
}

void link_set_client(struct link *l, struct json info)
{
	struct str name, full;

	if (l->client.len) /* workers may be reading it */
		return;
	name_client(info, &l->mem, &name, &full);
	l->client_name = arena_copy(&l->mem, name);
	l->client = arena_copy(&l->mem, full);
}

/* The name of the HTTP token in "http:NAME"; "" for other transports. */
static struct str token_of(struct str transport)
{
	const struct str http = STR("http:");

	return str_starts(transport, http) ? str_skip(transport, http.len)
					   : STR("");
}

struct caller link_caller(struct link *l, struct json info, struct arena *mem)
{
	struct str name = l->client_name, full = l->client;
	struct str scope[3], token = token_of(l->transport);

	if (!l->reads)
		l->reads = readstate_new(
			&(struct readstate_limits){ .budget = l->caches });
	if (!l->session[0])
		uuid_text(uuid_new(clock_unix_ms()), l->session);
	if (json_is(info, JSON_OBJECT))
		name_client(info, mem, &name, &full);
	scope[0] = l->transport;
	scope[1] = STR(":");
	scope[2] = name;
	return (struct caller){
		.client = full,
		.session = str_of(l->session),
		.scope = arena_join(mem, scope, COUNT_OF(scope)),
		.name = token.len ? token : name,
		.declared = !token.len,
		.reads = l->reads,
	};
}

void link_end(struct link *l)
{
	if (l->on_end)
		l->on_end(l);
	l->on_end = NULL;
}

void link_free(struct link *l)
{
	link_end(l);
	readstate_free(l->reads);
	l->reads = NULL;
	arena_free(&l->mem);
}

static void put_member(struct json_out *o, const char *key, const char *text)
{
	json_key(o, key);
	json_put_str(o, str_of(text));
}

void server_put_info(const struct server *s, struct json_out *o)
{
	json_open(o, '{');
	put_member(o, "name", "stet");
	put_member(o, "title", "stet, the file server for coding agents");
	put_member(o, "version", s->version);
	json_close(o, '}');
}
