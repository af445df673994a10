/*
 * fuzz_guard.c - the Host, Origin, Authorization and link key of a stranger.
 *
 * None is accepted unless it is valid, and parsed parts are views into the
 * input.
 */
#include "fuzz.h"

#include "web/credentials.h"
#include "web/hosts.h"
#include "web/signin.h"

enum { PORT = 7717, NOW = 1000000 };

static const struct hosts hosts = { .port = PORT };

static bool inside(struct str part, struct str whole)
{
	return !part.len || (part.ptr >= whole.ptr &&
			     part.ptr + part.len <= whole.ptr + whole.len);
}

/* One of the three loopback names, followed by nothing but a port. */
static bool is_loopback(struct str host)
{
	static const char *const names[] = { "127.0.0.1", "localhost",
					     "[::1]" };
	char low[32] = "";

	if (!host.len || host.len >= sizeof(low))
		return false;
	for (size_t i = 0; i < host.len; i++) {
		char c = host.ptr[i];

		low[i] = c >= 'A' && c <= 'Z' ? (char)(c | 0x20) : c;
	}
	for (size_t i = 0; i < COUNT_OF(names); i++) {
		size_t len = strlen(names[i]);

		if (strncmp(low, names[i], len) != 0)
			continue;
		if (low[len] != ':')
			return host.len == len;
		return strspn(low + len + 1, "0123456789") ==
			       host.len - len - 1 &&
		       host.len > len + 1;
	}
	return false;
}

static void check_names(struct str text)
{
	must(!hosts_has(&hosts, text) || is_loopback(text));
	must(!hosts_admits(&hosts, text) ||
	     (is_loopback(str_skip(text, 7)) && str_ends(text, STR(":7717"))));
	must(!hosts_origin_ok(text) || !hosts_host_ok(text));
}

static void check_credentials(struct str text)
{
	struct str token;

	if (credentials_bearer(text, &token)) {
		must(inside(token, text) || !token.len);
		for (size_t i = 0; i < token.len; i++)
			must(token.ptr[i] > ' ' && token.ptr[i] <= '~');
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
	static struct signin signin;
	auto_arena mem = ARENA_INIT;
	struct str text = arena_copy(&mem, str_make((const char *)bytes, len));

	if (!signin.links.lifetime_ms)
		signin_open(&signin, STR("a-token-of-the-owner"), STR("id"));
	check_names(text);
	check_credentials(text);
	must(signin_check(&signin, text, NOW, &mem) != SIGNIN_GOOD);
	must(!signin_session_ok(&signin, text, NOW, &mem));
	return 0;
}
