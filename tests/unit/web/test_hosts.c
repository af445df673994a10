/*
 * test_hosts.c - Host and Origin: which names are accepted, and which only
 * look like them.
 */
#include "../unit.h"

#include "web/hosts.h"

static const struct str more_hosts[] = { STR_INIT("stet.example"),
					 STR_INIT("proxy.example:8443") };
static const struct str more_origins[] = {
	STR_INIT("https://stet.example"), STR_INIT("http://dev.example:3000")
};
static const struct hosts plain = { .port = 7717 };
static const struct hosts more = { .port = 7717,
				   .page = STR_INIT("0a1b.localhost"),
				   .address = STR_INIT("192.0.2.7"),
				   .hosts = more_hosts,
				   .host_count = COUNT_OF(more_hosts),
				   .origins = more_origins,
				   .origin_count = COUNT_OF(more_origins) };

static void only_our_names_are_ours(void **state)
{
	static const struct {
		const char *host;
		bool plain, more;
	} rules[] = {
		{ "127.0.0.1", true, true },
		{ "127.0.0.1:7717", true, true },
		{ "127.0.0.1:8080", true, true }, /* a tunnel */
		{ "localhost", true, true },
		{ "LocalHost:7717", true, true },
		{ "[::1]", true, true },
		{ "[::1]:7717", true, true },
		{ "0a1b.localhost:7717", false, true },
		{ "0A1B.LOCALHOST", false, true },
		{ "192.0.2.7:7717", false, true },
		{ "192.0.2.8:7717", false, false },
		{ "0a1c.localhost:7717", false, false },
		{ "0a1b.localhost.evil.example", false, false },
		{ "x.0a1b.localhost:7717", false, false },
		{ "stet.example", false, true },
		{ "STET.example:80", false, true },
		{ "proxy.example:8443", false, true },
		{ "proxy.example", false, false },
		{ "proxy.example:8444", false, false },
		{ "", false, false },
		{ "evil.example", false, false },
		{ "evil.example:7717", false, false },
		{ "localhost.evil.example", false, false },
		{ "127.0.0.1.evil.example", false, false },
		{ "evil.localhost", false, false },
		{ "localhost.", false, false },
		{ "0.0.0.0:7717", false, false },
		{ "127.0.0.2", false, false },
		{ "127.1", false, false },
		{ "2130706433", false, false },
		{ "::1", false, false },
		{ "[::1", false, false },
		{ "[::1]7717", false, false },
		{ "[::]", false, false },
		{ "localhost:", false, false },
		{ "localhost:0", false, false },
		{ "localhost:65536", false, false },
		{ "localhost:+80", false, false },
		{ "localhost:7717:7717", false, false },
		{ "localhost:7717@evil.example", false, false },
		{ "localhost,evil.example", false, false },
		{ "evil.example localhost", false, false },
		{ "user@localhost", false, false },
		{ "http://localhost", false, false },
	};

	for (size_t i = 0; i < COUNT_OF(rules); i++) {
		struct str host = str_of(rules[i].host);

		assert_int_equal(hosts_has(&plain, host), rules[i].plain);
		assert_int_equal(hosts_has(&more, host), rules[i].more);
	}
	assert_false(hosts_has(&plain, (struct str){ NULL, 0 }));
	assert_false(hosts_has(&plain, STR("localhost\0.evil")));
}

static void only_our_pages_may_ask(void **state)
{
	static const struct {
		const char *origin;
		bool plain, more;
	} rules[] = {
		{ "http://127.0.0.1:7717", true, true },
		{ "http://localhost:7717", true, true },
		{ "http://[::1]:7717", true, true },
		{ "http://0a1b.localhost:7717", false, true },
		{ "http://0a1b.localhost:7718", false, false },
		{ "http://192.0.2.7:7717", false, true },
		{ "http://evil.localhost:7717", false, false },
		{ "https://stet.example", false, true },
		{ "http://dev.example:3000", false, true },
		{ "http://stet.example", false, false },
		{ "https://stet.example:444", false, false },
		{ "http://dev.example", false, false },
		{ "null", false, false },
		{ "", false, false },
		{ "*", false, false },
		{ "http://localhost", false, false },
		{ "http://localhost:7718", false, false },
		{ "https://localhost:7717", false, false },
		{ "http://localhost:7717/", false, false },
		{ "http://localhost:7717 http://evil.example", false, false },
		{ "http://evil.example", false, false },
		{ "http://evil.example:7717", false, false },
		{ "http://localhost:7717.evil.example", false, false },
		{ "http://a@localhost:7717", false, false },
		{ "localhost:7717", false, false },
		{ "file://", false, false },
		{ "http://", false, false },
		{ "http", false, false },
	};
	const struct hosts port_80 = { .port = 80 };

	for (size_t i = 0; i < COUNT_OF(rules); i++) {
		struct str origin = str_of(rules[i].origin);

		assert_int_equal(hosts_admits(&plain, origin), rules[i].plain);
		assert_int_equal(hosts_admits(&more, origin), rules[i].more);
	}
	assert_true(hosts_admits(&port_80, STR("http://localhost")));
	assert_false(hosts_admits(&port_80, STR("http://localhost:7717")));
}

static void what_cannot_be_one_is_told(void **state)
{
	static const struct {
		const char *text;
		bool host, origin;
	} rules[] = {
		{ "stet.example", true, false },
		{ "stet.example:8443", true, false },
		{ "[fe80::1]:8443", true, false },
		{ "https://stet.example", false, true },
		{ "http://localhost:3000", false, true },
		{ "https://stet.example/", false, false },
		{ "ftp://stet.example", false, false },
		{ "*", false, false },
		{ "*.example", false, false },
		{ "a b", false, false },
		{ "", false, false },
		{ ":80", false, false },
		{ "https://", false, false },
		{ "null", true, false },
	};

	for (size_t i = 0; i < COUNT_OF(rules); i++) {
		struct str text = str_of(rules[i].text);

		assert_int_equal(hosts_host_ok(text), rules[i].host);
		assert_int_equal(hosts_origin_ok(text), rules[i].origin);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_our_names_are_ours),
		cmocka_unit_test(only_our_pages_may_ask),
		cmocka_unit_test(what_cannot_be_one_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
