/*
 * listen.c - the HTTP listener of `stet serve --http`.
 *
 * Parses the address, makes the tokens and the page's site (web/site.h), prints
 * the address, and runs the event loop in this thread or in one of its own.
 */
#include "app/listen.h"
#include "app/screen.h"
#include "app/settings_watch.h"

#include "base/secret.h"
#include "io/stdio.h"
#include "store/store.h"
#include "web/hosts.h"
#include "web/running.h"
#include "web/site.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>

struct http_listener {
	const struct config *config;
	struct server
		server; /* copy of the server with the settings for HTTP */
	struct server *beside; /* the server that also serves stdio, or NULL */
	struct event_sink
		*events; /* event sink of @beside before the page was added */
	struct event_log *watch;
	struct str state_dir;
	struct tokens *tokens;
	struct site *site;
	pthread_t thread;
	bool started;
};

static struct http *to_stop; /* the server that the signal handler stops */

static void on_stop_signal(int number)
{
	http_stop(to_stop);
}

static bool read_port(struct str text, unsigned *ret)
{
	enum { MOST_DIGITS = 5, MOST = 65535 };
	unsigned port = 0;

	if (!text.len || text.len > MOST_DIGITS)
		return false;
	for (size_t i = 0; i < text.len; i++) {
		if (text.ptr[i] < '0' || text.ptr[i] > '9')
			return false;
		port = port * 10 + (unsigned)(text.ptr[i] - '0');
	}
	*ret = port;
	return port <= MOST;
}

bool listen_address(struct str text, struct arena *mem, const char **ret_host,
		    unsigned *ret_port)
{
	size_t colon = str_rfind(text, ':');
	struct str host = STR("127.0.0.1"), port = text;

	if (colon < text.len) {
		host = str_head(text, colon);
		port = str_skip(text, colon + 1);
	}
	if (host.len > 2 && host.ptr[0] == '[' && host.ptr[host.len - 1] == ']')
		host = str_sub(host, 1, host.len - 1);
	else if (str_find(host, ':') < host.len)
		return false;
	if (!host.len || str_is(host, "localhost"))
		host = STR("127.0.0.1");
	*ret_host = arena_printf(mem, STR_FMT, STR_ARG(host)).ptr;
	return read_port(port, ret_port);
}

/* Raises the descriptor limit; returns how many connections may use. */
static unsigned allow_descriptors(unsigned wanted)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit))
		return wanted;
	limit.rlim_cur = limit.rlim_max;
	(void)setrlimit(RLIMIT_NOFILE, &limit);
	/* half of them are left for files */
	return (unsigned)size_min(wanted, limit.rlim_cur / 2);
}

static struct str *words(const struct option_list *list, struct arena *mem)
{
	struct str *ret = arena_array(mem, struct str, list->count);

	for (size_t i = 0; i < list->count; i++)
		ret[i] = str_of(list->items[i]);
	return ret;
}

/* Rejects values of --allow-host and --allow-origin that cannot match. */
static bool are_names(const struct config *c, struct arena *mem,
		      struct fault *f)
{
	const struct {
		const struct option_list *list;
		bool (*ok)(struct str);
		const char *takes;
	} rows[] = {
		{ &c->allow_hosts, hosts_host_ok,
		  "--allow-host takes a name like files.example" },
		{ &c->allow_origins, hosts_origin_ok,
		  "--allow-origin takes an origin like https://example.org" },
	};

	for (size_t i = 0; i < COUNT_OF(rows); i++)
		for (size_t k = 0; k < rows[i].list->count; k++) {
			const char *given = rows[i].list->items[k];

			if (rows[i].ok(str_of(given)))
				continue;
			(void)fail(f, ERR_BAD_ARGS,
				   .text = arena_printf(mem, "%s, not '%s'",
							rows[i].takes, given));
			return false;
		}
	return true;
}

static struct site *open_site(struct http_listener *l,
			      const struct settings_source *settings,
			      struct arena *mem, struct fault *f)
{
	const struct config *c = l->config;
	struct site_options o = {
		.server = &l->server,
		.endpoint = endpoint_options_default,
		.limits = http_limits_default,
		.page = true,
		.settings = settings,
		.state_dir = l->state_dir,
		.guard = { .tokens = l->tokens,
			   .hosts = words(&c->allow_hosts, mem),
			   .host_count = c->allow_hosts.count,
			   .origins = words(&c->allow_origins, mem),
			   .origin_count = c->allow_origins.count,
			   .rate = (unsigned)c->rate },
	};
	struct site *site;
	struct str why;

	o.limits.body = config_max_message(c, &l->server);
	o.limits.stop_ms = c->stop_ms;
	o.limits.connections = allow_descriptors(o.limits.connections);
	if (!are_names(c, mem, f))
		return NULL;
	if (!listen_address(str_of(c->http), mem, &o.host, &o.port)) {
		(void)fail(
			f, ERR_BAD_ARGS,
			.text = arena_printf(
				mem,
				"--http takes an address and a port like 127.0.0.1:7717, not '%s'",
				c->http));
		return NULL;
	}
	site = site_new(&o, mem, &why);
	if (!site)
		(void)fail(f, ERR_BAD_ARGS, .text = why);
	return site;
}

/* Is the address reachable from other machines? */
static bool is_beyond(const struct config *c, struct arena *mem)
{
	const char *host;
	unsigned port;

	return listen_address(str_of(c->http), mem, &host, &port) &&
	       !str_starts(str_of(host), STR("127.")) &&
	       strcmp(host, "::1") != 0;
}

/* The served directories, shown by `stet open` to choose a server. */
static struct str root_names(const struct http_listener *l, struct arena *mem)
{
	auto_buf out = BUF_INIT;
	size_t n;
	const struct str *roots = ws_roots(l->server.ws, mem, &n);

	for (size_t i = 0; i < n; i++)
		buf_addf(&out, "%s" STR_FMT, i ? ", " : "", STR_ARG(roots[i]));
	return arena_copy(mem, buf_str(&out));
}

static void listener_announce(const struct http_listener *l, struct arena *mem)
{
	struct str url = site_url(l->site);
	const struct running self = { .url = url,
				      .page = site_page_url(l->site),
				      .id = site_server_id(l->site),
				      .roots = root_names(l, mem) };
	struct fault f;

	if (running_write(l->state_dir, &self, mem, &f))
		screen_warn(
			"stet: 'stet open' will not find this server: %.*s\n",
			STR_ARG(fault_text(&f, mem)));
	if (is_beyond(l->config, mem))
		screen_warn(
			"stet: other machines can reach this port, and tokens are sent unencrypted: put a TLS proxy in front of it (docs/http.md)\n");
	screen_warn("stet: MCP at %.*s/mcp; your page: run 'stet open'\n",
		    STR_ARG(url));
}

/*
 * Before the address is printed, after which a signal may arrive: until the
 * loop runs, the signal stays pending for it.
 */
static void catch_signals(const struct http_listener *l)
{
	struct sigaction end = { .sa_handler = on_stop_signal };
	struct sigaction ignore = { .sa_handler = SIG_IGN };

	to_stop = site_http(l->site);
	(void)sigaction(SIGTERM, &end, NULL);
	(void)sigaction(SIGINT, &end, NULL);
	(void)sigaction(SIGHUP, &end, NULL);
	(void)sigaction(SIGPIPE, &ignore, NULL);
}

struct http_listener *listen_open(const struct config *c, struct server *server,
				  struct arena *mem, struct fault *f)
{
	struct http_listener *l = arena_new(mem, struct http_listener);
	const char *given = getenv("STET_TOKEN");
	const struct settings_source *settings;

	l->config = c;
	l->server = *server;
	l->server.take_roots =
		NULL; /* clients over HTTP do not declare roots for each other */
	l->state_dir =
		c->state_dir ? str_of(c->state_dir) : store_default_dir(mem);
	/* before tokens are read: the forked process must not know any */
	settings = settings_watch_open(server, c, mem);
	l->tokens = tokens_open(
		&(struct tokens_options){
			.dir = l->state_dir,
			.given = str_of(given ? given : ""),
			.file = str_of(c->token_file ? c->token_file : "") },
		mem, f);
	if (!l->tokens)
		return NULL;
	tokens_refresh(l->tokens); /* reports a damaged token file now */
	l->site = open_site(l, settings, mem, f);
	tokens_forget_owner(l->tokens);
	secret_wipe(str_of(given ? given : ""));
	if (!l->site) {
		tokens_free(l->tokens);
		return NULL;
	}
	/* Calls over stdio are shown on the page as well. */
	l->beside = server;
	l->server.beside = server; /* answers on the page wake its calls */
	l->events = server->events;
	l->watch = server->tools.event_log;
	server->events = l->server.events;
	server->tools.event_log = l->server.tools.event_log;
	if (c->stdio) /* its loop is the one that a signal ends */
		stdio_catch_signals();
	else
		catch_signals(l);
	listener_announce(l, mem);
	return l;
}

void listen_serve(struct http_listener *l)
{
	site_run(l->site);
}

static void *listener_serve(void *arg)
{
	struct http_listener *l = arg;

	site_run(l->site);
	return NULL;
}

/* Signals stay with the main thread. */
void listen_start(struct http_listener *l)
{
	sigset_t all, old;

	(void)sigfillset(&all);
	(void)pthread_sigmask(SIG_SETMASK, &all, &old);
	if (pthread_create(&l->thread, NULL, listener_serve, l))
		out_of_memory();
	l->started = true;
	(void)pthread_sigmask(SIG_SETMASK, &old, NULL);
}

void listen_close(struct http_listener *l)
{
	if (!l)
		return;
	if (l->started) {
		http_stop(site_http(l->site));
		(void)pthread_join(l->thread, NULL);
	}
	running_remove(l->state_dir);
	l->beside->events = l->events;
	l->beside->tools.event_log = l->watch;
	site_free(l->site);
	tokens_free(l->tokens);
}
