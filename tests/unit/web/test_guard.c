/*
 * test_guard.c - which authentication each kind of request needs, and what is
 * refused with which status.
 */
#include "place.h"

#include "base/fd.h"
#include "web/guard.h"

#include <arpa/inet.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

enum { NOW = 2000000000, PORT = 7717 };

struct gate {
	struct place p;
	struct tokens *tokens;
	struct guard *guard;
	struct principal who;
	struct str why;
	struct str owner, other; /* whole Authorization */
	uint64_t turn;
};

#define auto_gate cleanup(gate_end) struct gate

static struct gate gate_make(unsigned rate)
{
	struct gate g = { .p = place_make() };
	struct guard_options options = { .port = PORT, .rate = rate };
	struct str token;

	g.tokens = options.tokens = place_tokens(&g.p);
	assert_int_equal(tokens_add(g.tokens, STR("other"), &g.p.mem, &token,
				    &g.p.f),
			 ERR_OK);
	g.owner = arena_printf(&g.p.mem, "Bearer " STR_FMT,
			       STR_ARG(tokens_owner(g.tokens)));
	g.other = arena_printf(&g.p.mem, "Bearer " STR_FMT, STR_ARG(token));
	g.guard = guard_new(&options);
	return g;
}

static void gate_end(struct gate *g)
{
	guard_free(g->guard);
	tokens_free(g->tokens);
	place_end(&g->p);
}

static unsigned knock(struct gate *g, enum auth auth, struct guard_asked asked)
{
	if (!asked.host.ptr)
		asked.host = STR("localhost:7717");
	g->who = (struct principal){ 0 };
	g->why = STR("");
	asked.turn = ++g->turn;
	return guard_decide(g->guard, &asked, auth, NOW, &g->p.mem, &g->who,
			    &g->why);
}

/* A good session, as the page sends it. */
static struct str sign_in(struct gate *g)
{
	struct str link = guard_link(tokens_owner(g->tokens),
				     guard_server_id(g->guard), &g->p.mem);
	struct str session, why, before = STR("/#key=");

	assert_true(str_starts(link, before));
	link = str_skip(link, before.len);
	assert_true(guard_sign_in(g->guard, link, &g->p.mem, &session, &why));
	assert_false(guard_sign_in(g->guard, link, &g->p.mem, &session, &why));
	assert_true(str_starts(why, STR("This link was already used")));
	assert_false(
		guard_sign_in(g->guard, STR("x"), &g->p.mem, &session, &why));
	assert_true(str_starts(why, STR("This link is not valid here")));
	return arena_printf(&g->p.mem, "Bearer " STR_FMT, STR_ARG(session));
}

static void each_door_wants_what_it_says(void **state)
{
	auto_gate g = gate_make(0);
	const struct str none = { NULL, 0 }, wrong = STR("Bearer stet_wrong");
	const struct str basic = STR("Basic YTpi"), empty = STR("");
	const struct {
		struct str authorization;
		unsigned want[4]; /* open, sign-in, mcp, page */
		const char *name;
	} rows[] = {
		{ none, { 0, 0, 401, 401 }, "" },
		{ empty, { 0, 0, 401, 401 }, "" },
		{ wrong, { 0, 0, 401, 401 }, "" },
		{ basic, { 0, 0, 401, 401 }, "" },
		{ g.owner, { 0, 0, 0, 0 }, "owner" },
		{ g.other, { 0, 0, 0, 403 }, "other" },
		{ sign_in(&g), { 0, 0, 401, 0 }, "owner" },
	};

	for (size_t i = 0; i < COUNT_OF(rows); i++)
		for (enum auth d = AUTH_NONE; d <= AUTH_OWNER; d++) {
			struct guard_asked asked = {
				.authorization = rows[i].authorization,
			};
			const char *name =
				d >= AUTH_CLIENT ? rows[i].name : "anyone";

			assert_int_equal(knock(&g, d, asked), rows[i].want[d]);
			assert_int_equal(!g.why.len, !rows[i].want[d]);
			if (rows[i].want[d])
				continue;
			assert_str(g.who.name, name);
			assert_int_equal(g.who.owner, !strcmp(name, "owner"));
		}
}

/* Another port of the same host is another origin of the same site. */
static void the_page_is_asked_by_itself_alone(void **state)
{
	auto_gate g = gate_make(0);
	const struct {
		struct str site;
		bool own;
	} rows[] = {
		{ { NULL, 0 }, true },       { STR("same-origin"), true },
		{ STR("same-site"), false }, { STR("cross-site"), false },
		{ STR("none"), false },      { STR(""), false },
	};

	for (size_t i = 0; i < COUNT_OF(rows); i++)
		for (enum auth d = AUTH_NONE; d <= AUTH_OWNER; d++) {
			struct guard_asked asked = { .authorization = g.owner,
						     .fetch_site =
							     rows[i].site };
			bool is_page = d == AUTH_OWNER || d == AUTH_SIGN_IN;

			assert_int_equal(knock(&g, d, asked),
					 is_page && !rows[i].own ? 403 : 0);
		}
}

static void names_and_origins_come_first(void **state)
{
	auto_gate g = gate_make(0);
	struct guard_asked asked = { .authorization = g.owner };

	for (enum auth d = AUTH_NONE; d <= AUTH_OWNER; d++) {
		asked.host = STR("evil.example:7717");
		assert_int_equal(knock(&g, d, asked), 403);
		assert_non_null(strstr(g.why.ptr, "--allow-host"));
		asked.host = STR("");
		assert_int_equal(knock(&g, d, asked), 403);
		asked.host = STR("127.0.0.1:7717");
		asked.origin = STR("null");
		assert_int_equal(knock(&g, d, asked), 403);
		assert_non_null(strstr(g.why.ptr, "--allow-origin"));
		asked.origin = STR("http://evil.example");
		assert_int_equal(knock(&g, d, asked), 403);
		asked.origin = STR("");
		assert_int_equal(knock(&g, d, asked), 403);
		asked.origin = STR("http://127.0.0.1:7717");
		assert_int_equal(knock(&g, d, asked), 0);
		asked.origin = (struct str){ NULL, 0 };
	}
}

static void a_revoked_token_is_refused_from_then_on(void **state)
{
	auto_gate g = gate_make(0);
	struct guard_asked asked = { .authorization = g.other };
	struct tokens *beside = place_tokens(&g.p);

	assert_int_equal(knock(&g, AUTH_CLIENT, asked), 0);
	assert_int_equal(tokens_revoke(beside, STR("other"), &g.p.mem, &g.p.f),
			 ERR_OK);
	assert_int_equal(knock(&g, AUTH_CLIENT, asked), 401);
	tokens_free(beside);
}

static void too_many_wait(void **state)
{
	auto_gate g = gate_make(5);
	struct guard_asked owner = { .authorization = g.owner };
	struct guard_asked other = { .authorization = g.other };

	for (int i = 0; i < 10; i++)
		assert_int_equal(knock(&g, AUTH_CLIENT, other), 0);
	assert_int_equal(knock(&g, AUTH_CLIENT, other), 429);
	assert_int_equal(knock(&g, AUTH_CLIENT, owner), 0);
	assert_int_equal(knock(&g, AUTH_NONE, other), 0);
}

static void those_who_guess_wait_and_nobody_else(void **state)
{
	auto_gate g = gate_make(0);
	struct guard_asked wrong = { .authorization = STR("Bearer guess") };
	struct guard_asked none = { .host = STR("localhost") };
	struct guard_asked other = { .authorization = g.other };

	for (int i = 0; i < 40; i++)
		assert_int_equal(knock(&g, AUTH_CLIENT, wrong), 401);
	assert_int_equal(knock(&g, AUTH_CLIENT, wrong), 429);
	assert_int_equal(knock(&g, AUTH_OWNER, wrong), 429);
	assert_int_equal(knock(&g, AUTH_CLIENT, other), 0);
	assert_int_equal(knock(&g, AUTH_CLIENT, none), 401);
}

static void without_tokens_everybody_is_anyone(void **state)
{
	struct guard_options options = { .port = PORT, .rate = 5 };
	struct guard *guard = guard_new(&options);
	struct guard_asked asked = { .host = STR("localhost"),
				     .authorization = STR("Bearer x") };
	auto_arena mem = ARENA_INIT;
	struct principal who;
	struct str why;

	for (int i = 0; i < 10; i++) {
		assert_int_equal(guard_decide(guard, &asked, AUTH_CLIENT, NOW,
					      &mem, &who, &why),
				 0);
		assert_str(who.name, "anyone");
		assert_false(who.owner);
	}
	assert_int_equal(guard_decide(guard, &asked, AUTH_CLIENT, NOW, &mem,
				      &who, &why),
			 429);
	asked.host = STR("evil.example");
	assert_int_equal(guard_decide(guard, &asked, AUTH_CLIENT, NOW, &mem,
				      &who, &why),
			 403);
	assert_false(
		guard_sign_in(guard,
			      str_skip(guard_link(STR(""),
						  guard_server_id(guard), &mem),
				       sizeof("/#key=") - 1),
			      &mem, &why, &why));
	guard_free(guard);
}

static void a_refusal_tells_what_to_do(void **state)
{
	assert_str(guard_header(401),
		   "WWW-Authenticate: Bearer realm=\"stet\"\r\n");
	assert_str(guard_header(429), "Retry-After: 1\r\n");
	assert_str(guard_header(403), "");
}

/* From here on over a socket: the interpretation of headers. */

static bool on_head(void *ctx, struct http_exchange *x)
{
	return true;
}

static void on_request(void *ctx, struct http_exchange *x)
{
	struct guard *guard = ctx;
	struct principal who;
	struct str why;
	unsigned status = guard_check(guard, x, AUTH_OWNER, &who, &why);

	if (status)
		http_reply(x, status, "text/plain", guard_header(status), why);
	else
		http_reply(x, 200, "text/plain", STR(""), who.name);
}

static void on_gone(void *ctx, struct http_exchange *x)
{
}

static void *run(void *http)
{
	http_run(http);
	return NULL;
}

/* Status of the answer, and all of it. */
static long ask(struct gate *g, const struct http *http, struct str lines,
		struct str *ret)
{
	struct sockaddr_in to = { .sin_family = AF_INET,
				  .sin_port = htons((uint16_t)http_port(http)),
				  .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	auto_fd fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	struct str request =
		arena_printf(&g->p.mem,
			     "GET / HTTP/1.1\r\nHost: localhost\r\n"
			     "Connection: close\r\n"
			     "Content-Length: 0\r\n" STR_FMT "\r\n",
			     STR_ARG(lines));
	char *room = arena_alloc(&g->p.mem, 4096);
	size_t len = 0;
	ssize_t n;

	assert_int_equal(connect(fd, (struct sockaddr *)&to, sizeof(to)), 0);
	assert_int_equal(fd_write(fd, request), 0);
	while (len < 4095 && (n = fd_read(fd, room + len, 4095 - len)) > 0)
		len += (size_t)n;
	room[len] = '\0';
	*ret = str_make(room, len);
	assert_true(str_starts(*ret, STR("HTTP/1.1 ")));
	return strtol(room + sizeof("HTTP/1.1 ") - 1, NULL, 10);
}

static void headers_count_as_they_stand(void **state)
{
	auto_gate g = gate_make(0);
	struct http_options options = {
		.host = "127.0.0.1",
		.limits = http_limits_default,
		.handler = { on_head, on_request, on_gone, NULL, g.guard },
	};
	struct str why, said, session = sign_in(&g);
	struct http *http = http_new(&options, &g.p.mem, &why);
	pthread_t thread;
	const struct {
		long status;
		struct str lines;
	} rows[] = {
		{ 401, STR("") },
		{ 401, STR("Authorization:\r\n") },
		{ 403, STR("Origin:\r\n") },
		{ 403, STR("Origin: null\r\n") },
		{ 400, STR("Origin: http://localhost:7717\r\n"
			   "Origin: http://localhost:7717\r\n") },
		{ 400, STR("Authorization: Bearer a\r\n"
			   "authorization: Bearer a\r\n") },
		{ 400, STR("Sec-Fetch-Site: same-origin\r\n"
			   "Sec-Fetch-Site: same-origin\r\n") },
		{ 400, STR("Host: localhost\r\n") },
		{ 200, arena_printf(&g.p.mem, "AUTHORIZATION: " STR_FMT "\r\n",
				    STR_ARG(g.owner)) },
		{ 200, arena_printf(&g.p.mem, "Authorization: " STR_FMT "\r\n",
				    STR_ARG(session)) },
		{ 401, arena_printf(&g.p.mem, "Cookie: stet=" STR_FMT "\r\n",
				    STR_ARG(session)) },
	};

	assert_non_null(http);
	assert_int_equal(pthread_create(&thread, NULL, run, http), 0);
	for (size_t i = 0; i < COUNT_OF(rows); i++)
		assert_int_equal(ask(&g, http, rows[i].lines, &said),
				 rows[i].status);

	assert_int_equal(ask(&g, http, STR(""), &said), 401);
	assert_non_null(strstr(said.ptr, "WWW-Authenticate: Bearer"));
	http_stop(http);
	assert_int_equal(pthread_join(thread, NULL), 0);
	http_free(http);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_door_wants_what_it_says),
		cmocka_unit_test(the_page_is_asked_by_itself_alone),
		cmocka_unit_test(names_and_origins_come_first),
		cmocka_unit_test(a_revoked_token_is_refused_from_then_on),
		cmocka_unit_test(too_many_wait),
		cmocka_unit_test(those_who_guess_wait_and_nobody_else),
		cmocka_unit_test(without_tokens_everybody_is_anyone),
		cmocka_unit_test(a_refusal_tells_what_to_do),
		cmocka_unit_test(headers_count_as_they_stand),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
