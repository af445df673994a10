/*
 * policy_hooks.c - the hooks of one generation of rules.
 *
 * Hooks come from flags, the person's settings and trusted projects. A hook
 * that was trusted and whose settings file changed since is kept as "lost":
 * what it would have judged is refused.
 */
#include "app/policy_local.h"

struct str policy_glob_in(struct policy *p, struct str root, struct str glob)
{
	auto_buf out = BUF_INIT;

	if (!root.len)
		return glob;
	for (size_t i = 0; i < root.len; i++) {
		if (memchr("*?[]{},\\", root.ptr[i], 8))
			buf_addc(&out, '\\');
		buf_addc(&out, root.ptr[i]);
	}
	if (!str_starts(glob, STR("/")))
		buf_lit(&out, "/{**/,}");
	if (glob.len)
		buf_add(&out, glob);
	else
		buf_lit(&out, "*");
	return arena_copy(&p->mem, buf_str(&out));
}

static void add_hook(struct policy *p, struct policy_generation *m,
		     enum hook_when when, struct hook hook)
{
	*arena_add(&p->mem, m->hook_rows[when], m->hooks.count[when]) = hook;
}

static void add_hooks(struct policy *p, struct policy_generation *m,
		      const struct config_file *file, struct str root,
		      bool only_before)
{
	for (size_t i = 0; i < file->hook_count; i++) {
		const struct config_hook *hook = &file->hooks[i];

		if (hook->after && only_before)
			continue;
		add_hook(p, m, hook->after ? HOOK_AFTER_EDIT : HOOK_BEFORE_EDIT,
			 (struct hook){ hook->command,
					policy_glob_in(p, root, hook->match),
					hook->timeout_ms, hook->match,
					hook->origin });
	}
}

void policy_add_hooks(struct policy *p, struct policy_generation *m,
		      const struct config_file *file, struct str root)
{
	add_hooks(p, m, file, root, /* only_before= */ false);
}

void policy_add_hooks_above(struct policy *p, struct policy_generation *m,
			    const struct config_file *file, struct str dir)
{
	add_hooks(p, m, file, dir, /* only_before= */ true);
}

static struct str lost_words(struct policy *p, const struct trusted *row,
			     struct str command)
{
	struct str path = trust_project_path(row->dir, &p->mem);
	struct str which =
		command.len ? arena_printf(&p->mem, "its hook '" STR_FMT "'",
					   STR_ARG(command))
			    : STR("a hook that it may have had");

	return arena_printf(
		&p->mem,
		STR_FMT
		" has changed since it was trusted, so " STR_FMT
		" cannot check this change. The user can review the file and trust it again: stet trust " STR_FMT,
		STR_ARG(path), STR_ARG(which), STR_ARG(row->dir));
}

static void add_lost_hook(struct policy *p, struct policy_generation *m,
			  const struct trusted *row, struct trusted_hook hook)
{
	*arena_add(&p->mem, m->lost, m->hooks.lost_count) =
		(struct lost_hook){ policy_glob_in(p, row->dir, hook.match),
				    lost_words(p, row, hook.command) };
}

void policy_add_lost(struct policy *p, struct policy_generation *m,
		     struct str dir, struct str now)
{
	const struct trusted *row = trust_find(&m->trust, dir);

	if (!row || str_eq(row->digest, now))
		return;
	for (size_t i = 0; i < row->hook_count; i++)
		add_lost_hook(p, m, row, row->hooks[i]);
	if (row->hooks_unknown)
		add_lost_hook(p, m, row, (struct trusted_hook){ 0 });
	if (row->hook_count || row->hooks_unknown)
		*arena_add(&p->mem, m->warnings, m->warning_count) = arena_printf(
			&p->mem,
			STR_FMT
			": changed since you trusted it: changes that its before_edit hooks check are refused until you run 'stet trust " STR_FMT
			"' (or 'stet trust --remove " STR_FMT
			"' to do without them)",
			STR_ARG(trust_project_path(dir, &p->mem)), STR_ARG(dir),
			STR_ARG(dir));
}

void policy_add_own_hooks(struct policy *p, struct policy_generation *m)
{
	const struct hooks *flags = p->flag_hooks;

	for (int when = 0; flags && when < 2; when++)
		for (size_t i = 0; i < flags->count[when]; i++)
			add_hook(p, m, (enum hook_when)when,
				 flags->rows[when][i]);
	policy_add_hooks(p, m, &p->user, STR(""));
}
