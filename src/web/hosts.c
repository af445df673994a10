/*
 * hosts.c - compare Host and Origin with the names of this server. Pure.
 */
#include "web/hosts.h"

#include <strings.h>

static const struct str loopback[] = { STR_INIT("127.0.0.1"),
				       STR_INIT("localhost"),
				       STR_INIT("[::1]") };

static bool equal_nocase(struct str a, struct str b)
{
	return a.len == b.len && (!a.len || !strncasecmp(a.ptr, b.ptr, a.len));
}

static bool is_listed(struct str s, const struct str *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (equal_nocase(s, list[i]))
			return true;
	return false;
}

/* "80" and nothing around it. */
static bool read_port(struct str text, unsigned *ret)
{
	unsigned port = 0;

	if (!text.len || text.len > 5)
		return false;
	for (size_t i = 0; i < text.len; i++) {
		if (text.ptr[i] < '0' || text.ptr[i] > '9')
			return false;
		port = port * 10 + (unsigned)(text.ptr[i] - '0');
	}
	*ret = port;
	return port > 0 && port <= 65535;
}

/* "name:port", "[::1]:port", or either without a port, which is then 0. */
static bool split_host(struct str host, struct str *ret_name,
		       unsigned *ret_port)
{
	size_t end = str_find(host, ':');

	if (str_starts(host, STR("["))) {
		end = str_find(host, ']');
		if (end == host.len)
			return false;
		end++;
	}
	*ret_name = str_head(host, end);
	*ret_port = 0;
	if (end == host.len)
		return end > 0;
	return host.ptr[end] == ':' &&
	       read_port(str_skip(host, end + 1), ret_port);
}

/* Names that lead to this server whatever a resolver says. */
static bool is_own_name(const struct hosts *h, struct str name)
{
	return is_listed(name, loopback, COUNT_OF(loopback)) ||
	       (h->page.len && equal_nocase(name, h->page)) ||
	       (h->address.len && equal_nocase(name, h->address));
}

bool hosts_has(const struct hosts *h, struct str host)
{
	struct str name;
	unsigned port;

	if (!split_host(host, &name, &port))
		return false;
	return is_own_name(h, name) ||
	       is_listed(name, h->hosts, h->host_count) ||
	       is_listed(host, h->hosts, h->host_count);
}

static bool is_own(const struct hosts *h, struct str origin)
{
	static const struct str scheme = STR_INIT("http://");
	struct str name;
	unsigned port;

	if (!equal_nocase(str_head(origin, scheme.len), scheme) ||
	    !split_host(str_skip(origin, scheme.len), &name, &port))
		return false;
	return (port ? port : 80) == h->port && is_own_name(h, name);
}

bool hosts_admits(const struct hosts *h, struct str origin)
{
	return is_own(h, origin) ||
	       is_listed(origin, h->origins, h->origin_count);
}

static bool is_name(struct str s)
{
	for (size_t i = 0; i < s.len; i++) {
		char c = s.ptr[i], letter = (char)(c | 0x20);

		if (!(letter >= 'a' && letter <= 'z') &&
		    !(c >= '0' && c <= '9') && (!c || !strchr(".-_[]:", c)))
			return false;
	}
	return s.len && s.len <= 255;
}

bool hosts_host_ok(struct str host)
{
	struct str name;
	unsigned port;

	return split_host(host, &name, &port) && is_name(name);
}

bool hosts_origin_ok(struct str origin)
{
	static const struct str schemes[] = { STR_INIT("http://"),
					      STR_INIT("https://") };

	for (size_t i = 0; i < COUNT_OF(schemes); i++)
		if (equal_nocase(str_head(origin, schemes[i].len), schemes[i]))
			return hosts_host_ok(str_skip(origin, schemes[i].len));
	return false;
}
