#include "rpc/server.h"

#include "base/clock.h"
#include "text/utf8.h"
#include "tools/readstate.h"

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

/* "codex 0.166.0": both parts are the peer's own words, so they are cut. */
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

void link_meet(struct link *l, struct json info)
{
	struct str name, full;

	if (l->client.len) /* once is enough: others may be looking at it */
		return;
	name_client(info, &l->mem, &name, &full);
	l->client_name = arena_copy(&l->mem, name);
	l->client = arena_copy(&l->mem, full);
}

/* "http:NAME": the token that it came in with; "" = none was needed. */
static struct str token_of(struct str door)
{
	const struct str http = STR("http:");

	return str_starts(door, http) ? str_skip(door, http.len) : STR("");
}

struct caller link_caller(struct link *l, struct json info, struct arena *mem)
{
	struct str name = l->client_name, full = l->client;
	struct str scope[3], token = token_of(l->door);

	if (!l->reads)
		l->reads = readstate_new(
			&(struct readstate_limits){ .budget = l->caches });
	if (!l->session[0])
		uuid_text(uuid_new(clock_unix_ms()), l->session);
	if (json_is(info, JSON_OBJECT))
		name_client(info, mem, &name, &full);
	scope[0] = l->door;
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

void link_free(struct link *l)
{
	news_end(&l->reader);
	readstate_free(l->reads);
	l->reads = NULL;
	arena_free(&l->mem);
}

bool server_offers(const struct server *s, const struct tool *t)
{
	if (!s->offered)
		return true;
	for (size_t i = 0; i < all_tools_count; i++)
		if (all_tools[i] == t)
			return s->offered[i];
	return false;
}

static void put_text(struct json_out *o, const char *key, const char *text)
{
	json_key(o, key);
	json_put_str(o, str_of(text));
}

void server_put_info(const struct server *s, struct json_out *o)
{
	json_open(o, '{');
	put_text(o, "name", "stet");
	put_text(o, "title", "stet, the file server for coding agents");
	put_text(o, "version", s->version);
	json_close(o, '}');
}

/* For the model: what it cannot learn from the schemas; after the roots. */
static const char instructions[] =
	"Paths are absolute. "
	"Encodings, line endings and file metadata are kept; bytes outside an edit do not change. "
	"Edits match exactly and must match once: read the file first and copy the text as it stands. "
	"Every tool that changes a file also takes if_version, which its schema does not list: its value is "
	"the version that a result (_meta.version of the structured content) or a refusal has told, "
	"and the call is refused when the file has changed since. "
	"Long files come in pages: while there are more lines, read again from the line that the result names. "
	"A change can be taken back with undo_file_change. "
	"Where the user has to agree first, the error says what they can do; make the same call again afterwards.";

/* "Reads ... beneath the roots /a and /b. ": some of them, if they are many. */
static void say_roots(const struct server *s, struct buf *out)
{
	enum { MOST = 8, LONGEST = 1024 };
	auto_arena mem = ARENA_INIT;
	size_t n = 0;
	const struct str *roots = s->ws ? ws_roots(s->ws, &mem, &n) : NULL;

	buf_lit(out, "Reads, writes and edits text files beneath ");
	if (!n)
		buf_lit(out, "the roots that the client declares");
	for (size_t i = 0; i < n && i < MOST; i++)
		buf_addf(out, "%s" STR_FMT, i ? ", " : "",
			 STR_ARG(utf8_head(roots[i], LONGEST)));
	if (n > MOST)
		buf_addf(out, " and %zu more directories", n - MOST);
	buf_lit(out, ". ");
}

void server_put_instructions(const struct server *s, struct json_out *o)
{
	auto_buf text = BUF_INIT;

	say_roots(s, &text);
	buf_add(&text, str_of(instructions));
	json_key(o, "instructions");
	json_put_str(o, buf_str(&text));
}
