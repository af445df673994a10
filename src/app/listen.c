#include "app/listen.h"
#include "app/screen.h"

#include "base/seal.h"
#include "store/store.h"
#include "web/hosts.h"
#include "web/running.h"
#include "web/site.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>

struct listener {
	const struct config *config;
	struct server server;      /* as it is over HTTP */
	struct server *beside;     /* as it is over stdio */
	struct event_sink *events; /* of that, before */
	struct watch *watch;
	struct str state_dir;
	struct tokens *tokens;
	struct site *site;
	pthread_t thread;
	bool started;
};

static struct http *to_stop; /* for the signal handler */

static void on_signal(int number)
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

/* Each client is a descriptor: how many there may be, for clients. */
static unsigned allow_descriptors(unsigned wanted)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit))
		return wanted;
	limit.rlim_cur = limit.rlim_max;
	(void)setrlimit(RLIMIT_NOFILE, &limit);
	/* Files need some, too. */
	return (unsigned)size_min(wanted, limit.rlim_cur / 2);
}

static struct str *words(const struct option_list *list, struct arena *mem)
{
	struct str *ret = arena_array(mem, struct str, list->count);

	for (size_t i = 0; i < list->count; i++)
		ret[i] = str_of(list->items[i]);
	return ret;
}

/* Names that nobody can come by are a slip of the person's. */
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

static struct site *open_site(struct listener *l, struct arena *mem,
			      struct fault *f)
{
	const struct config *c = l->config;
	struct site_options o = {
		.server = &l->server,
		.endpoint = endpoint_options_default,
		.limits = http_limits_default,
		.page = true,
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

/* An address that is not of this machine alone. */
static bool is_beyond(const struct config *c, struct arena *mem)
{
	const char *host;
	unsigned port;

	return listen_address(str_of(c->http), mem, &host, &port) &&
	       !str_starts(str_of(host), STR("127.")) &&
	       strcmp(host, "::1") != 0;
}

/* The directories that are served, for a person who chooses a server. */
static struct str root_names(const struct listener *l, struct arena *mem)
{
	auto_buf out = BUF_INIT;
	size_t n;
	const struct str *roots = ws_roots(l->server.ws, mem, &n);

	for (size_t i = 0; i < n; i++)
		buf_addf(&out, "%s" STR_FMT, i ? ", " : "", STR_ARG(roots[i]));
	return arena_copy(mem, buf_str(&out));
}

static void tell(const struct listener *l, struct arena *mem)
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
			"stet: other machines can reach this port, and the tokens go over it in the clear: put TLS before it (docs/http.md)\n");
	screen_warn("stet: MCP at %.*s/mcp; your page: run 'stet open'\n",
		    STR_ARG(url));
}

/*
 * Before anybody is told that the server is there, and may end it: until the
 * loop runs, a signal is kept for it.
 */
static void catch_signals(const struct listener *l)
{
	struct sigaction end = { .sa_handler = on_signal };
	struct sigaction ignore = { .sa_handler = SIG_IGN };

	to_stop = site_http(l->site);
	(void)sigaction(SIGTERM, &end, NULL);
	(void)sigaction(SIGINT, &end, NULL);
	(void)sigaction(SIGHUP, &end, NULL);
	(void)sigaction(SIGPIPE, &ignore, NULL);
}

struct listener *listen_open(const struct config *c, struct server *server,
			     struct arena *mem, struct fault *f)
{
	struct listener *l = arena_new(mem, struct listener);
	const char *given = getenv("STET_TOKEN");

	l->config = c;
	l->server = *server;
	l->server.take_roots = NULL; /* one client's are not another's */
	l->state_dir =
		c->state_dir ? str_of(c->state_dir) : store_default_dir(mem);
	l->tokens = tokens_open(
		&(struct tokens_options){
			.dir = l->state_dir,
			.given = str_of(given ? given : ""),
			.file = str_of(c->token_file ? c->token_file : "") },
		mem, f);
	if (!l->tokens)
		return NULL;
	tokens_look(l->tokens); /* says when it is damaged */
	l->site = open_site(l, mem, f);
	tokens_forget_owner(l->tokens);
	seal_wipe(str_of(given ? given : ""));
	if (!l->site) {
		tokens_free(l->tokens);
		return NULL;
	}
	/* What is done over stdio is seen on the page, too. */
	l->beside = server;
	l->events = server->events;
	l->watch = server->tools.watch;
	server->events = l->server.events;
	server->tools.watch = l->server.tools.watch;
	if (!c->stdio) /* else io/stdio catches them */
		catch_signals(l);
	tell(l, mem);
	return l;
}

void listen_serve(struct listener *l)
{
	site_run(l->site);
}

static void *serve(void *arg)
{
	struct listener *l = arg;

	site_run(l->site);
	return NULL;
}

/* Signals are for the thread that is there already. */
void listen_start(struct listener *l)
{
	sigset_t all, old;

	(void)sigfillset(&all);
	(void)pthread_sigmask(SIG_SETMASK, &all, &old);
	if (pthread_create(&l->thread, NULL, serve, l))
		out_of_memory();
	l->started = true;
	(void)pthread_sigmask(SIG_SETMASK, &old, NULL);
}

void listen_close(struct listener *l)
{
	if (!l)
		return;
	if (l->started) {
		http_stop(site_http(l->site));
		(void)pthread_join(l->thread, NULL);
	}
	running_remove(l->state_dir);
	l->beside->events = l->events;
	l->beside->tools.watch = l->watch;
	site_free(l->site);
	tokens_free(l->tokens);
}
