/*
 * own_files.c - the paths of stet's own files.
 *
 * From options and environment. The list has every directory that stet may
 * use, not only the one in use: state left by a start with other options is
 * protected as well.
 */
#include "app/own_files.h"

#include "app/hook_files.h"
#include "app/trust.h"
#include "files/path.h"
#include "store/store.h"

#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

struct own_list {
	struct arena *mem;
	struct str here; /* current directory, for relative paths */
	struct own_item *item;
	size_t n;
};

static void own_list_add(struct own_list *l, struct str path, bool tree,
			 bool secret)
{
	if (!path.len)
		return;
	if (path.ptr[0] != '/')
		path = arena_printf(l->mem, STR_FMT "/" STR_FMT,
				    STR_ARG(l->here), STR_ARG(path));
	*arena_add(l->mem, l->item, l->n) =
		(struct own_item){ path, tree, secret };
}

/* @name beneath the directory in an environment variable. */
static struct str own_list_below(struct own_list *l, const char *variable,
				 const char *name)
{
	const char *dir = getenv(variable);

	if (!dir || dir[0] != '/')
		return STR("");
	return arena_printf(l->mem, "%s/%s", dir, name);
}

/* Settings are often symlinks into a dotfiles repository: add each file. */
static void add_settings(struct own_list *l, struct str dir)
{
	static const char *const files[] = { "config.json", "trusted.json" };

	if (!dir.len)
		return;
	own_list_add(l, dir, true, false);
	for (size_t i = 0; i < COUNT_OF(files); i++)
		own_list_add(l, path_join(l->mem, dir, str_of(files[i])), false,
			     false);
}

static void add_state(struct own_list *l, const struct config *c)
{
	unsigned uid = geteuid();

	own_list_add(l, str_of(c->state_dir), true, true);
	own_list_add(l, own_list_below(l, "XDG_STATE_HOME", "stet"), true,
		     true);
	own_list_add(l, own_list_below(l, "HOME", ".local/state/stet"), true,
		     true);
	own_list_add(l, arena_printf(l->mem, "/var/tmp/stet-%u", uid), true,
		     true);
	own_list_add(l, own_list_below(l, "XDG_RUNTIME_DIR", "stet-locks"),
		     true, true);
	own_list_add(l, arena_printf(l->mem, "/tmp/stet-locks-%u", uid), true,
		     true);
}

static void add_program(struct own_list *l)
{
	char self[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self));

	if (n > 0 && (size_t)n < sizeof(self))
		own_list_add(l, arena_copy(l->mem, str_make(self, (size_t)n)),
			     false, false);
}

static void add_hook_file(void *ctx, struct str path)
{
	own_list_add(ctx, path, false, false);
}

struct own_items own_files(const struct config *c, const struct hooks *hooks,
			   struct arena *mem)
{
	const char *const files[] = { c->policy.config, c->token_file, c->audit,
				      c->events, c->trace };
	char here[PATH_MAX];
	struct own_list l = { .mem = mem };

	l.here = getcwd(here, sizeof(here)) ? arena_copy(mem, str_of(here))
					    : STR("/");
	add_settings(&l, trust_user_dir(mem));
	if (getenv("XDG_CONFIG_HOME"))
		add_settings(&l, own_list_below(&l, "HOME", ".config/stet"));
	add_state(&l, c);
	for (size_t i = 0; i < COUNT_OF(files); i++)
		own_list_add(&l, str_of(files[i]), false, false);
	add_program(&l);
	for (int when = 0; hooks && when < 2; when++)
		for (size_t i = 0; i < hooks->count[when]; i++)
			hook_words(hooks->rows[when][i].command, l.here, mem,
				   add_hook_file, &l);
	return (struct own_items){ l.item, l.n };
}
