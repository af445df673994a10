/*
 * server.c - the state of a client (struct link), and the server's description
 * of itself: serverInfo and instructions.
 *
 * Links belong to the loop thread; a caller made by link_caller() points into
 * its link and is read by workers, so the strings there are set once.
 */
#include "rpc/server.h"

#include "base/clock.h"
#include "text/encoding/utf8.h"
#include "tools/find/scope.h"
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

/* Instructions for the model, beside the schemas; preceded by the roots. */
static const char instructions[] =
	"Paths are absolute. Encodings, line endings and file metadata are kept; bytes outside an edit do not change. Edits match exactly and must match once: read the file first and copy the text exactly. Every tool that changes a file also takes if_version, which its schema does not list: its value is the version from a result (_meta.version of the structured content) or an error, and the call is refused if the file has changed since. Long files come in pages: while there are more lines, read again from the line that the result names. A change can be undone with undo_file_change. If a call needs the user's approval, the error says so; make the same call again afterwards.";

/* "Reads ... beneath /a, /b. ", with the first MOST roots. */
static void put_roots_sentence(const struct server *s, struct buf *out)
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

/* Where relative names begin; with several roots there are none. */
static void put_base_sentence(const struct server *s, struct buf *out)
{
	enum { LONGEST = 1024 };
	auto_arena mem = ARENA_INIT;
	struct str base;
	size_t n = 0;

	if (!s->ws)
		return;
	base = find_base_of(s->ws, &s->tools.find, &mem, &n);
	if (n == 1)
		buf_addf(out,
			 " Searches name files relative to " STR_FMT
			 ", where relative paths begin for them as well.",
			 STR_ARG(utf8_head(base, LONGEST)));
}

void server_put_instructions(const struct server *s, struct json_out *o)
{
	auto_buf text = BUF_INIT;

	put_roots_sentence(s, &text);
	buf_add(&text, str_of(instructions));
	put_base_sentence(s, &text);
	json_key(o, "instructions");
	json_put_str(o, buf_str(&text));
}
