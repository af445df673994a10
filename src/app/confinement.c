/*
 * confinement.c - the paths that a confined server needs.
 *
 * Gathers the paths for Landlock, starts the helper processes that must exist
 * before (base/spawner.h), and then calls base/confine.h.
 */
#include "app/confinement.h"

#include "app/own_files.h"
#include "base/fd.h"
#include "base/log.h"
#include "base/spawner.h"
#include "files/path.h"
#include "files/private_dir.h"
#include "store/state_dir.h"
#include "store/store.h"
#include "tools/change/hooks.h"
#include "tools/permissions/rules.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

const char *const confinement_choices[] = { "on", "syscalls", "off", NULL };

/* Directories of libraries that are loaded later: uchardet, gconv. */
static const char *const readable[] = {
	"/lib",           "/lib64",     "/usr/lib",         "/usr/lib64",
	"/usr/local/lib", "/nix/store", "/etc/ld.so.cache",
};

enum { OWN = 4 }; /* settings, state, journals, locks */

static struct {
	const struct config *config; /* set by confinement_later() */
	struct arena mem;
	const struct str *roots;
	size_t root_count;
} confined;

static void add_path(struct confine_options *w, struct confine_path *paths,
		     const char *path, enum confine_access access)
{
	paths[w->count++] = (struct confine_path){ path, access };
}

/*
 * Adds one of stet's own directories. It is created first, because Landlock
 * rules need an existing directory; a failure is reported by the later use.
 */
static void add_own(struct confine_options *w, struct confine_path *paths,
		    struct str dir, struct arena *mem)
{
	auto_fd made = private_dir_open(dir, /* make= */ true);

	(void)made;
	if (state_dir_is_strange_link(dir, mem))
		return; /* such a directory is not used by the store either */
	add_path(w, paths, arena_cstr(mem, dir), CONFINE_WRITE);
}

static void gather_paths(struct confine_options *w, const struct config *c,
			 struct arena *mem)
{
	const struct own_items own = own_files(c, NULL, mem);
	struct confine_path *paths =
		arena_array(mem, struct confine_path,
			    COUNT_OF(readable) + OWN + own.n +
				    confined.root_count);
	struct str state =
		c->state_dir ? str_of(c->state_dir) : store_default_dir(mem);
	struct str settings = trust_user_dir(mem), rest;
	struct private_dirs private;
	const struct str *const others[] = { &private.journal, &private.locks };

	private_dirs_find(&private, mem);
	w->paths = paths;
	for (size_t i = 0; i < COUNT_OF(readable); i++)
		add_path(w, paths, readable[i], CONFINE_READ);
	if (settings.len)
		add_path(w, paths, arena_cstr(mem, settings), CONFINE_READ);
	add_own(w, paths, state, mem);
	for (size_t i = 0; i < COUNT_OF(others); i++)
		if (!path_beneath(*others[i], state, &rest))
			add_own(w, paths, *others[i], mem);
	for (size_t i = 0; i < own.n; i++) /* see own_covers() */
		if (own.item[i].tree)
			add_path(w, paths, arena_cstr(mem, own.item[i].path),
				 CONFINE_LIST);
	for (size_t i = 0; i < confined.root_count; i++)
		add_path(w, paths, arena_cstr(mem, confined.roots[i]),
			 CONFINE_WRITE);
}

/*
 * Starts the spawner, before execve() is forbidden. Without any command there is
 * no spawner, and a hook that is added later is refused. @program may be run
 * besides the hooks; it may be NULL.
 */
static void start_spawner(const struct hooks *h, const char *const *program)
{
	struct arena *mem = &confined.mem;
	size_t most = 1 + (h ? h->count[0] + h->count[1] : 0), n = 0;
	const char *const **list = arena_array(mem, const char *const *, most);

	if (program)
		list[n++] = program;
	for (int when = 0; h && when < 2; when++)
		for (size_t i = 0; i < h->count[when]; i++)
			list[n++] = hooks_argv(h->rows[when][i].command, mem);
	if (h && most > 1)
		hooks_clean_path(mem);
	if (n && !spawner_start(list, n))
		log_error("cannot start programs: %s", strerror(errno));
}

static const struct hooks *hooks_of_server(const struct server *s)
{
	const struct hooks *by_settings =
		s->tools.rules ? rules_now(s->tools.rules)->hooks : NULL;

	return by_settings ? by_settings : s->tools.hooks;
}

static void confine_process(const struct confine_options *want)
{
	struct confine_state state;
	auto_buf words = BUF_INIT;

	confine(want, &state);
	confine_describe(&state, &words);
	log_info("confinement: " STR_FMT, STR_ARG(buf_str(&words)));
}

void confinement_enter(struct server *s, const struct config *c)
{
	struct confine_options want = {
		.port = c->http,
		.landlock = c->confine == CONFINEMENT_ON,
		.seccomp = c->confine != CONFINEMENT_OFF,
	};
	auto_arena mem = ARENA_INIT;

	if (c->confine == CONFINEMENT_OFF)
		return;
	start_spawner(hooks_of_server(s), NULL);
	confine_memory();
	confined.roots = ws_roots(s->ws, &confined.mem, &confined.root_count);
	if (want.landlock)
		gather_paths(&want, c, &mem);
	confine_process(&want);
}

/*
 * Allows every command that a session may run, as if all trusted projects were
 * open. Mistakes in their settings are reported when a session opens them.
 */
static void start_spawner_of_agent(const struct config *c,
				   const char *const *codex)
{
	auto_arena mem = ARENA_INIT;
	const struct hooks *flags = config_hooks(c, &mem);
	struct policy *policy = NULL;
	struct trust trust = { 0 };
	struct str *roots;
	struct fault f;

	if (policy_new(&c->policy, flags, &policy, &f) ||
	    trust_load(&mem, &trust, &f)) {
		start_spawner(flags, codex);
		policy_free(policy);
		return;
	}
	roots = arena_array(&mem, struct str, trust.count);
	for (size_t i = 0; i < trust.count; i++)
		roots[i] = trust.rows[i].dir;
	if (policy_roots(policy, roots, trust.count, NULL, 0, &f))
		log_info(STR_FMT, STR_ARG(f.text));
	start_spawner(rules_now(policy_rules(policy))->hooks, codex);
	policy_free(policy);
}

void confinement_enter_agent(const struct config *c, const char *const *codex)
{
	if (c->confine == CONFINEMENT_OFF)
		return;
	start_spawner_of_agent(c, codex);
	confine_memory();
	confine_process(
		&(struct confine_options){ .port = true, .seccomp = true });
}

static void enter_now(struct server *s)
{
	confinement_enter(s, confined.config);
}

void confinement_later(struct server *s, const struct config *c)
{
	confined.config = c;
	s->before_work = enter_now;
}

bool confinement_covers(const char *dir)
{
	char real[PATH_MAX];
	struct str rest;

	if (!confine_now().landlock || !realpath(dir, real))
		return true;
	for (size_t i = 0; i < confined.root_count; i++)
		if (path_beneath(str_of(real), confined.roots[i], &rest))
			return true;
	return false;
}
