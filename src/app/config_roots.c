/*
 * config_roots.c - the directories that a server serves.
 *
 * They are named by the person, declared by the client, or the directory that
 * stet was started in. root_check.h decides which are allowed; the settings
 * files in them become rules (policy.h). New roots are set under policy_lock.
 */
#include "app/config_local.h"
#include "app/confinement.h"
#include "app/git_dirs.h"
#include "app/own_files.h"
#include "app/root_check.h"
#include "app/screen.h"
#include "base/log.h"
#include "files/ws_local.h"
#include "text/display/visible.h"
#include "tools/permissions/rules.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_NAMED = 8 }; /* refused roots named in a hint */

static struct own_items own_now(struct server *s, struct arena *mem)
{
	struct configured *all = (struct configured *)s;

	return own_files(all->config,
			 rules_now(policy_rules(all->policy))->hooks, mem);
}

/* The directories that sensitive names are relative to: see rules.h. */
static const struct str *named_base(struct server *s, const struct str *roots,
				    size_t n, struct arena *mem, size_t *ret_n)
{
	struct str *here = arena_new(mem, struct str);
	char name[PATH_MAX];

	*ret_n = n;
	if (!s->take_roots)
		return roots;
	*ret_n = getcwd(name, sizeof(name)) ? 1 : 0;
	if (*ret_n)
		*here = arena_copy(mem, str_of(name));
	return here;
}

/* Builds rules for the current roots. Call with policy_lock held. */
static enum err make_rules(struct server *s, const struct str *roots, size_t n,
			   struct arena *mem, struct fault *f)
{
	struct configured *all = (struct configured *)s;
	const struct str *base;
	struct own_items own;
	size_t bases;
	enum err e;

	base = named_base(s, roots, n, mem, &bases);
	e = policy_roots(all->policy, roots, n, base, bases, f);
	own = own_now(s, mem);
	ws_local_own(all->disk, own.item, own.n);
	return e;
}

enum err config_reload(struct server *s, struct str text, bool *ret_restart,
		       struct arena *mem, struct fault *f)
{
	struct configured *all = (struct configured *)s;
	const struct str *roots;
	enum err e;
	size_t n;

	(void)pthread_mutex_lock(&all->policy_lock);
	if (policy_is_full(all->policy))
		e = fail(
			f, ERR_BAD_CONFIG,
			.text = STR(
				"the roots were changed too often: restart the server"));
	else
		e = policy_reload(all->policy, text, ret_restart, mem, f);
	if (!e) {
		roots = ws_roots(s->ws, mem, &n);
		e = make_rules(s, roots, n, mem, f);
	}
	(void)pthread_mutex_unlock(&all->policy_lock);
	return e;
}

struct str config_mode_origin(struct server *s)
{
	struct configured *all = (struct configured *)s;
	struct str ret;

	(void)pthread_mutex_lock(&all->policy_lock);
	ret = policy_mode_origin(all->policy);
	(void)pthread_mutex_unlock(&all->policy_lock);
	return ret;
}

const char *config_roots_origin(const struct server *s)
{
	return ((const struct configured *)s)->roots_origin;
}

enum err config_projects(struct server *s, struct fault *f)
{
	struct configured *all = (struct configured *)s;
	struct policy *policy = all->policy;
	auto_arena mem = ARENA_INIT;
	const struct str *roots, *warnings;
	size_t n;
	enum err e;

	roots = ws_roots(s->ws, &mem, &n);
	git_dirs_note(roots, n);
	(void)pthread_mutex_lock(&all->policy_lock);
	e = make_rules(s, roots, n, &mem, f);
	(void)pthread_mutex_unlock(&all->policy_lock);
	warnings = policy_warnings(policy, &n);
	for (size_t i = 0; i < n; i++)
		screen_warn("stet: " STR_FMT "\n", STR_ARG(warnings[i]));
	return e;
}

/* Roots that were refused, with reasons. */
struct refusals {
	struct arena *mem;
	struct buf words; /* reasons, for an error's hint */
	size_t n;
	struct str *real; /* resolved paths of the accepted roots */
};

static void refusals_drop(struct refusals *r)
{
	buf_free(&r->words);
}

#define auto_refusals cleanup(refusals_drop) struct refusals

/* The name comes from the client: escape control characters. */
static void root_refuse(struct refusals *r, struct str dir, const char *why)
{
	auto_buf line = BUF_INIT;

	buf_lit(&line, "The root ");
	visible_add(&line, dir);
	buf_addf(&line, " was ignored: %s.", why);
	screen_warn("stet: " STR_FMT "\n", STR_ARG(buf_str(&line)));
	if (r->n++ >= MOST_NAMED)
		return;
	buf_add(&r->words, buf_str(&line));
	buf_lit(&r->words, " ");
}

static const char name_to_serve[] =
	"Name the directories to serve: stet serve DIR..., or in the client's configuration \"args\": [\"serve\", \"DIR\"]";

/* "" when no root was refused. */
static struct str refusal_advice(const struct refusals *r, const char *why,
				 bool usable, const char *remedy)
{
	auto_buf out = BUF_INIT;

	if (usable && !r->n)
		return STR("");
	buf_add(&out, buf_str(&r->words));
	if (!usable)
		buf_addf(&out, "%s. ", why);
	buf_add(&out, str_of(remedy));
	return arena_copy(r->mem, buf_str(&out));
}

/* The absolute path as the person wrote it, symlinks not resolved. */
static bool absolute_path(const char *dir, struct arena *mem, struct str *ret)
{
	char here[PATH_MAX];
	struct stat st;

	if (stat(dir, &st))
		return false;
	errno = ENOTDIR;
	if (!S_ISDIR(st.st_mode))
		return false;
	*ret = str_of(dir);
	if (dir[0] == '/')
		return true;
	if (!getcwd(here, sizeof(here)))
		return false;
	*ret = strcmp(dir, ".") ? arena_printf(mem, "%s/%s", here, dir)
				: arena_copy(mem, str_of(here));
	return true;
}

/*
 * Checks a root declared by the client. A missing path and a file get the same
 * answer, so that a client cannot probe what exists outside its roots.
 */
static const char *why_unusable(struct str dir, struct arena *mem)
{
	struct stat st;

	if (!str_starts(dir, STR("/")))
		return "it is not a file:// URI of this machine";
	if (stat(arena_cstr(mem, dir), &st) || !S_ISDIR(st.st_mode))
		return "there is no such directory";
	return NULL;
}

/* Accepts those of @dirs that may be served and records the others. */
static size_t vet_all(struct server *s, enum root_source source,
		      const struct str *dirs, size_t n, struct str *ret,
		      struct refusals *r)
{
	struct own_items own = own_now(s, r->mem);
	size_t usable = 0;

	r->real = arena_array(r->mem, struct str, n);
	for (size_t i = 0; i < n; i++) {
		const char *why = source == ROOT_DECLARED
					  ? why_unusable(dirs[i], r->mem)
					  : NULL;

		if (!why)
			why = root_check(source, dirs[i], &own, r->mem,
					 &r->real[usable]);
		if (source == ROOT_DECLARED && usable == ROOT_CHECK_MOST)
			why = "there may be at most 64 roots";
		if (!why && source == ROOT_DECLARED &&
		    !confinement_covers(arena_cstr(r->mem, dirs[i])))
			why = CONFINEMENT_RESTART;
		if (why)
			root_refuse(r, dirs[i], why);
		else
			ret[usable++] = dirs[i];
	}
	return usable;
}

/* A hint for a literal "~", which the shell did not expand. */
static const char *about_tilde(const char *dir)
{
	return dir[0] == '~' ? " (stet does not expand ~: give the whole path)"
			     : "";
}

static void serve_dirs(struct server *s, enum root_source source,
		       char *const *dirs, int n)
{
	auto_arena mem = ARENA_INIT;
	struct str *roots = arena_array(&mem, struct str, (size_t)n);
	auto_refusals refused = { .mem = &mem };
	size_t usable = 0;

	for (int i = 0; i < n; i++)
		if (absolute_path(dirs[i], &mem, &roots[usable]))
			usable++;
		else
			screen_warn("stet: cannot serve %s: %s%s\n", dirs[i],
				    strerror(errno), about_tilde(dirs[i]));
	usable = vet_all(s, source, roots, usable, roots, &refused);
	ws_local_roots(
		s->ws, roots, usable,
		refusal_advice(
			&refused,
			"None of the directories given to stet can be opened",
			usable, name_to_serve),
		NULL);
	s->take_roots =
		NULL; /* the person named the roots: the client's do not count */
	((struct configured *)s)->roots_origin = "command line";
}

enum err config_roots(struct server *s, char *const *dirs, int n,
		      struct arena *mem, struct fault *f)
{
	struct str ignored;

	for (int i = 0; i < n; i++)
		if (!absolute_path(dirs[i], mem, &ignored))
			return fail(f, ERR_BAD_ARGS,
				    .text = arena_printf(
					    mem, "cannot serve %s: %s%s",
					    dirs[i], strerror(errno),
					    about_tilde(dirs[i])));
	serve_dirs(s, ROOT_NAMED, dirs, n);
	return ERR_OK;
}

void config_roots_of_editor(struct server *s, char *const *dirs, int n)
{
	serve_dirs(s, ROOT_HERE, dirs, n);
}

/* "/home, where stet was started, is not served: your home directory is..." */
static const char *why_not_here(const char *here, const char *why,
				struct arena *mem)
{
	auto_buf out = BUF_INIT;

	visible_add(&out, str_of(here));
	buf_addf(&out, ", where stet was started, is not served: %s", why);
	return arena_cstr(mem, buf_str(&out));
}

static void serve_here(struct server *s, struct refusals *r, const char *remedy)
{
	char here[PATH_MAX];
	struct str root = STR(""), real;
	struct own_items own = own_now(s, r->mem);
	const char *why = NULL;

	((struct configured *)s)->roots_origin = "where stet was started";
	if (!getcwd(here, sizeof(here))) {
		why = "The directory where stet was started does not exist any more";
	} else {
		root = str_of(here);
		why = root_check(ROOT_HERE, root, &own, r->mem, &real);
		if (!why && !confinement_covers(here))
			why = "this process has given up its access to it";
		if (why)
			why = why_not_here(here, why, r->mem);
	}
	ws_local_roots(s->ws, &root, why ? 0 : 1,
		       refusal_advice(r, why, !why, remedy), NULL);
}

void config_roots_here(struct server *s, const char *remedy)
{
	auto_arena mem = ARENA_INIT;
	auto_refusals none = { .mem = &mem };

	serve_here(s, &none, remedy ? remedy : name_to_serve);
}

/* Is each root still the directory that was checked (no symlink race)? */
static bool all_as_vetted(struct server *s, const struct refusals *r, size_t n)
{
	size_t opened;
	const struct str *roots = ws_roots(s->ws, r->mem, &opened);
	bool all = true;

	for (size_t i = 0; i < opened; i++) {
		bool found = false;

		for (size_t k = 0; k < n; k++)
			found = found || str_eq(roots[i], r->real[k]);
		all = all && found;
	}
	return all;
}

/* Every change of roots keeps memory: past the limit, roots are fixed. */
static bool is_full(struct configured *all)
{
	bool full = policy_is_full(all->policy);

	if (full && !all->warned_full)
		screen_warn(
			"stet: the client has changed its roots too often: further changes are ignored until the server is restarted\n");
	all->warned_full = full;
	return full;
}

void config_take_roots(struct server *s, const struct str *dirs, size_t n)
{
	auto_arena mem = ARENA_INIT;
	struct str *roots = arena_array(&mem, struct str, n);
	auto_refusals refused = { .mem = &mem };
	size_t usable, opened = 0;
	struct fault f;

	if (is_full((struct configured *)s))
		return;
	usable = vet_all(s, ROOT_DECLARED, dirs, n, roots, &refused);
	if (usable)
		ws_local_roots(
			s->ws, roots, usable,
			refusal_advice(
				&refused,
				"None of the client's directories can be opened",
				usable, name_to_serve),
			&opened);
	if (!opened || !all_as_vetted(s, &refused, usable))
		serve_here(s, &refused, name_to_serve);
	else
		((struct configured *)s)->roots_origin =
			"declared by the client";
	if (config_projects(s, &f))
		screen_warn("stet: " STR_FMT "\n", STR_ARG(f.text));
	log_info("the client declared %zu roots, %zu can be served", n, opened);
}
