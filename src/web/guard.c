/*
 * guard.c - authenticate a request: Host, Origin, token or session.
 *
 * The order matters: names first, so that a page of another site learns nothing
 * about tokens; then the rate limit of failures; then who it is. Belongs to the
 * loop's thread. Tokens are read again at most once per turn of the loop.
 */
#include "web/guard.h"

#include "base/clock.h"
#include "web/credentials.h"
#include "web/hosts.h"
#include "web/rate.h"
#include "web/signin.h"

#include <stdlib.h>

enum { FAILED_EACH_SECOND = 20 };

struct guard {
	struct hosts hosts;
	struct tokens *tokens;
	struct rate rate;   /* of authenticated requests */
	struct rate failed; /* of failed ones, all clients together */
	struct signin signin;
	struct arena mem;
	struct str server_id;
	uint64_t looked; /* at the tokens, in that turn */
};

static const struct str nobody = STR_INIT("");

struct guard *guard_new(const struct guard_options *options)
{
	struct guard *g = calloc(1, sizeof(*g));

	if (!g)
		out_of_memory();
	g->hosts = (struct hosts){ .port = options->port,
				   .page = options->page,
				   .address = options->address,
				   .hosts = options->hosts,
				   .host_count = options->host_count,
				   .origins = options->origins,
				   .origin_count = options->origin_count };
	g->tokens = options->tokens;
	g->rate.per_second = options->rate;
	g->failed.per_second = FAILED_EACH_SECOND;
	g->looked = UINT64_MAX;
	g->server_id = secret_token(&g->mem);
	if (g->tokens)
		signin_open(&g->signin, tokens_owner(g->tokens), g->server_id);
	return g;
}

void guard_free(struct guard *g)
{
	if (!g)
		return;
	signin_close(&g->signin);
	arena_free(&g->mem);
	free(g);
}

static unsigned guard_refuse(unsigned status, struct str sentence,
			     struct str *why)
{
	*why = sentence;
	return status;
}

/*
 * A page on another port of this machine is of the same site, and not of the
 * same origin. Programs and old browsers do not say where they come from.
 */
static bool is_own_page(const struct guard_asked *a)
{
	return !a->fetch_site.ptr || str_is(a->fetch_site, "same-origin");
}

static unsigned check_names(const struct guard *g, const struct guard_asked *a,
			    enum auth auth, struct str *why)
{
	if (!hosts_has(&g->hosts, a->host))
		return guard_refuse(403,
				    STR("Unknown host name: see --allow-host."),
				    why);
	if (a->origin.ptr && !hosts_admits(&g->hosts, a->origin))
		return guard_refuse(
			403,
			STR("This origin is not allowed: see --allow-origin."),
			why);
	if ((auth == AUTH_OWNER || auth == AUTH_SIGN_IN) && !is_own_page(a))
		return guard_refuse(
			403,
			STR("Only this server's own page may send this request."),
			why);
	return 0;
}

/* The credentials are wrong. */
static unsigned refuse_failed(struct guard *g, struct str sentence,
			      uint64_t now, struct str *why)
{
	if (!rate_take(&g->failed, nobody, now))
		return guard_refuse(
			429, STR("Too many failed sign-ins: try again later."),
			why);
	return guard_refuse(401, sentence, why);
}

/* Reloads the tokens once per loop turn, so that a revoked one is refused. */
static void refresh_tokens(struct guard *g, uint64_t turn)
{
	if (turn == g->looked)
		return;
	tokens_refresh(g->tokens);
	g->looked = turn;
}

static unsigned identify_token(struct guard *g, struct str token,
			       enum auth auth, uint64_t now,
			       struct principal *ret, struct str *why)
{
	struct str name = tokens_identify(g->tokens, token);
	bool owner = str_is(name, "owner");

	if (!name.len)
		return refuse_failed(g, STR("Unknown or revoked token."), now,
				     why);
	if (auth != AUTH_CLIENT && !owner)
		return guard_refuse(
			403,
			STR("This is for the owner: a client's token is valid only for /mcp."),
			why);
	*ret = (struct principal){ name, owner };
	return 0;
}

static unsigned identify(struct guard *g, const struct guard_asked *a,
			 enum auth auth, uint64_t now, struct arena *mem,
			 struct principal *ret, struct str *why)
{
	struct str token;

	*ret = (struct principal){ STR("anyone"), false };
	if (!g->tokens || auth == AUTH_NONE || auth == AUTH_SIGN_IN)
		return 0;
	refresh_tokens(g, a->turn);
	if (!credentials_bearer(a->authorization, &token))
		return guard_refuse(
			401,
			auth == AUTH_OWNER
				? STR("Run 'stet open' to sign in.")
				: STR("A token is required ('Authorization: Bearer TOKEN'): create one with 'stet token add NAME'."),
			why);
	if (auth == AUTH_OWNER &&
	    signin_session_ok(&g->signin, token, now, mem)) {
		*ret = (struct principal){ STR("owner"), true };
		return 0;
	}
	return identify_token(g, token, auth, now, ret, why);
}

unsigned guard_decide(struct guard *g, const struct guard_asked *a,
		      enum auth auth, uint64_t now_ms, struct arena *mem,
		      struct principal *ret, struct str *why)
{
	struct principal principal;
	unsigned status = check_names(g, a, auth, why);

	if (!status)
		status = identify(g, a, auth, now_ms, mem, &principal, why);
	if (status)
		return status;
	if ((auth == AUTH_CLIENT || auth == AUTH_OWNER) &&
	    !rate_take(&g->rate, principal.name, now_ms))
		return guard_refuse(429,
				    STR("Too many requests: wait a second."),
				    why);
	*ret = principal;
	return 0;
}

static const struct {
	enum http_name name;
	size_t offset;
} headers[] = {
	{ HTTP_HOST, offsetof(struct guard_asked, host) },
	{ HTTP_ORIGIN, offsetof(struct guard_asked, origin) },
	{ HTTP_AUTHORIZATION, offsetof(struct guard_asked, authorization) },
	{ HTTP_FETCH_SITE, offsetof(struct guard_asked, fetch_site) },
};

/* A proxy may act on the other copy of a repeated header: false. */
static bool ask_headers(const struct http_exchange *x, struct guard_asked *ret,
			enum http_name *ret_twice)
{
	for (size_t i = 0; i < COUNT_OF(headers); i++) {
		enum http_name name = headers[i].name;
		struct str value = http_header(x, name);

		if (http_header_count(x, name) > 1) {
			*ret_twice = name;
			return false;
		}
		memcpy((char *)ret + headers[i].offset, &value, sizeof(value));
	}
	return true;
}

unsigned guard_check(struct guard *g, struct http_exchange *x, enum auth auth,
		     struct principal *ret, struct str *why)
{
	struct guard_asked asked;
	enum http_name twice;

	if (!ask_headers(x, &asked, &twice))
		return guard_refuse(400,
				    arena_printf(http_mem(x),
						 "The header " STR_FMT
						 " is repeated.",
						 STR_ARG(http_name(twice))),
				    why);
	asked.turn = http_turn(x);
	return guard_decide(g, &asked, auth, clock_unix_ms(), http_mem(x), ret,
			    why);
}

struct str guard_header(unsigned status)
{
	switch (status) {
	case 401:
		return STR("WWW-Authenticate: Bearer realm=\"stet\"\r\n");
	case 429:
		return STR("Retry-After: 1\r\n");
	default:
		return STR("");
	}
}

struct str guard_server_id(const struct guard *g)
{
	return g->server_id;
}

struct str guard_link(struct str owner_token, struct str server_id,
		      struct arena *mem)
{
	struct str key =
		signin_link(owner_token, server_id, clock_unix_ms(), mem);

	return arena_printf(mem, "/#key=" STR_FMT, STR_ARG(key));
}

static const struct str bad_links[] = {
	[SIGNIN_GOOD] = STR_INIT(""),
	[SIGNIN_USED] = STR_INIT(
		"This link was already used: each works once. Run 'stet open' again for a new one."),
	[SIGNIN_EXPIRED] = STR_INIT(
		"This link has expired: each works for five minutes. Run 'stet open' again for a new one."),
	[SIGNIN_UNKNOWN] = STR_INIT(
		"This link is not valid here: it is incomplete, belongs to another server, or was made before this server was restarted or with another STET_TOKEN. Run 'stet open' again for a new one."),
};

struct str guard_new_key(struct guard *g, struct arena *mem)
{
	return signin_new_link(&g->signin, clock_unix_ms(), mem);
}

bool guard_sign_in(struct guard *g, struct str key, struct arena *mem,
		   struct str *ret_session, struct str *why)
{
	uint64_t now = clock_unix_ms();
	enum signin_link link = SIGNIN_UNKNOWN;

	if (g->tokens)
		link = signin_check(&g->signin, key, now, mem);
	*why = bad_links[link];
	if (link != SIGNIN_GOOD)
		return false;
	*ret_session = signin_session(&g->signin, now, mem);
	return true;
}
