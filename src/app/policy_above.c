/*
 * policy_above.c - rules from settings and ignore files outside the roots.
 *
 * From the directories above a root (enclosing.h), and from trusted projects
 * beneath one. These can only deny or ask.
 */
#include "app/policy_local.h"

#include "files/path.h"

#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

/*
 * From a project around a root only deny and ask rules count and, if it is
 * trusted, its before_edit hooks.
 */
static enum err read_settings_above(struct policy *p,
				    struct policy_generation *m, struct str dir,
				    struct fault *f)
{
	const struct config_file *file;
	struct config_file narrow;
	enum err e = enclosing_settings(&p->read, dir, &file, f);

	if (e == ERR_NOT_FOUND) {
		policy_add_lost(p, m, dir, STR(""));
		return ERR_OK;
	}
	*arena_add(&p->mem, m->enclosing, m->rules.enclosing_count) = dir;
	if (!e)
		e = policy_check_project(p, file, f);
	if (e) {
		policy_shut(p, m, dir, f->text);
		return e;
	}
	narrow = *file;
	narrow.encoding_count = 0;
	narrow.tool_count = 0; /* of the whole server: only at a root */
	policy_add_file(p, m, &narrow, dir, /* trusted= */ false);
	if (trust_has(&m->trust, dir, file->digest))
		policy_add_hooks_above(p, m, file, dir);
	policy_add_lost(p, m, dir, file->digest);
	return ERR_OK;
}

static bool has_dir(const struct str *dirs, size_t n, struct str dir)
{
	for (size_t i = 0; i < n; i++)
		if (str_eq(dirs[i], dir))
			return true;
	return false;
}

/* Reads the projects above @root that are not roots themselves. */
enum err policy_read_above(struct policy *p, struct policy_generation *m,
			   struct str root, const struct str *roots, size_t n,
			   struct fault *f)
{
	struct str dirs[ENCLOSING_MAX_DIRS];
	enum err e = ERR_OK, bad;
	struct fault own;
	size_t count;

	if (!enclosing_dirs(root, policy_real_home(p), &p->mem, dirs, &count))
		return policy_shut_unread(p, m, root,
					  STR("it is nested too deeply"), f);
	for (size_t i = 0; i < count; i++) {
		if (has_dir(roots, n, dirs[i]) ||
		    has_dir(m->above, m->above_count, dirs[i]))
			continue;
		*arena_add(&p->mem, m->above, m->above_count) = dirs[i];
		if (p->flags->no_config)
			continue;
		bad = read_settings_above(p, m, dirs[i], &own);
		if (bad && !e)
			e = fault_set(f, &own);
	}
	return e;
}

/* The directory stet was started in; "" if it no longer exists. */
static struct str start_dir(struct policy *p)
{
	char here[PATH_MAX];

	return getcwd(here, sizeof(here)) ? arena_copy(&p->mem, str_of(here))
					  : STR("");
}

enum err policy_read_beneath(struct policy *p, struct policy_generation *m,
			     struct str root, const struct str *roots, size_t n,
			     struct fault *f)
{
	enum err e = ERR_OK, bad;
	struct str dir, rest;
	struct fault own;

	for (size_t i = 0; i <= m->trust.count && !p->flags->no_config; i++) {
		dir = i < m->trust.count ? m->trust.rows[i].dir : start_dir(p);
		if (!path_beneath(dir, root, &rest) || !rest.len ||
		    has_dir(roots, n, dir) ||
		    has_dir(m->enclosing, m->rules.enclosing_count, dir))
			continue;
		bad = read_settings_above(p, m, dir, &own);
		if (bad && !e)
			e = fault_set(f, &own);
	}
	return e;
}

static int compare_lengths(const void *a, const void *b)
{
	const struct str *s = a, *t = b;

	return (s->len > t->len) - (s->len < t->len);
}

/* Call after the settings say whether .gitignore counts. */
void policy_read_ignore_above(struct policy *p, struct policy_generation *m)
{
	const char *const *names = m->rules.ignore_files;
	struct ignore_above file;

	if (m->above_count)
		qsort(m->above, m->above_count, sizeof(m->above[0]),
		      compare_lengths);
	for (size_t i = 0; i < m->above_count; i++)
		for (unsigned k = 0; names[k]; k++) {
			file = (struct ignore_above){ .dir = m->above[i],
						      .name = k };
			if (enclosing_ignore(&p->read, file.dir, names[k],
					     &file))
				*arena_add(&p->mem, m->ignore_above,
					   m->rules.ignore_above_count) = file;
		}
}
