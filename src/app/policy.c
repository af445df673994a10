/*
 * policy.c - gathers rules from flags and settings into generations.
 *
 * A generation is built for one set of roots and published as a whole. Older
 * generations are never freed, because calls may still use them; their total
 * size is limited (policy_is_full).
 */
#include "app/policy.h"

#include "app/policy_local.h"
#include "files/path.h"
#include "tools/change/hooks.h"
#include "tools/permissions/ignored.h"

#include <stdatomic.h>
#include <stdlib.h>

static enum err add_flags(struct policy *p, const struct option_list *list,
			  enum verdict verdict, struct fault *f)
{
	struct str origin =
		arena_printf(&p->mem, "--%s", verdict_name(verdict));

	for (size_t i = 0; i < list->count; i++) {
		struct rule *rule =
			arena_add(&p->mem, p->flag_rules, p->flag_count);
		enum err e;

		rule->verdict = verdict;
		rule->origin = origin;
		e = rule_parse(str_of(list->items[i]), &p->mem, rule, f);
		if (e)
			return fail(f, e,
				    .text = arena_printf(&p->mem,
							 STR_FMT ": " STR_FMT,
							 STR_ARG(origin),
							 STR_ARG(f->text)));
	}
	return ERR_OK;
}

static enum err take_flags(struct policy *p, struct fault *f)
{
	const struct policy_flags *flags = p->flags;
	struct ignore_rule parsed;
	enum err e;

	p->flag_mode = flags->mode != NULL;
	if (flags->mode && !mode_named(str_of(flags->mode), &p->mode))
		return fail(
			f, ERR_BAD_ARGS,
			.text = arena_printf(
				&p->mem,
				"--mode takes default, plan, acceptEdits, bypassPermissions or yolo, not '%s'",
				flags->mode));
	for (size_t i = 0; i < flags->ignore.count; i++)
		if (!ignore_parse_line(str_of(flags->ignore.items[i]), &parsed))
			return fail(
				f, ERR_BAD_ARGS,
				.text = STR(
					"--ignore takes a pattern, as in .gitignore"));
	e = add_flags(p, &flags->deny, VERDICT_DENY, f);
	if (!e)
		e = add_flags(p, &flags->ask, VERDICT_ASK, f);
	if (!e)
		e = add_flags(p, &flags->allow, VERDICT_ALLOW, f);
	return e;
}

/* Reads the person's settings; a missing file is an error only if named. */
static enum err read_user(struct policy *p, struct fault *f)
{
	struct str dir = trust_user_dir(&p->mem), path, text;
	enum err e;

	if (p->flags->no_config)
		return ERR_OK;
	path = p->flags->config ? str_of(p->flags->config)
				: path_join(&p->mem, dir, STR("config.json"));
	if (!p->flags->config && !dir.len)
		return ERR_OK;
	p->user_path = path;
	e = trust_read_file(path, &p->mem, &text, f);
	if (e == ERR_NOT_FOUND && !p->flags->config)
		return ERR_OK;
	if (e == ERR_NOT_FOUND)
		return fail(f, ERR_BAD_CONFIG,
			    .text = arena_printf(&p->mem,
						 STR_FMT
						 ": the file does not exist",
						 STR_ARG(path)));
	if (e)
		return e;
	p->user_text = text;
	return configfile_read(path, text, &p->mem, &p->user, f);
}

/* Resolved when the first rule refers to it. */
struct str policy_real_home(struct policy *p)
{
	char *real = NULL;

	if (p->home.len && !p->real_home.len) {
		real = realpath(arena_cstr(&p->mem, p->home), NULL);
		p->real_home =
			real ? arena_copy(&p->mem, str_of(real)) : p->home;
		free(real);
	}
	return p->real_home;
}

static void set_home(struct policy *p, struct rule *rule)
{
	rule->home = p->home;
	if (str_starts(rule->path, STR("~/")))
		rule->real_home = policy_real_home(p);
}

enum err policy_new(const struct policy_flags *flags, const struct hooks *hooks,
		    struct policy **ret, struct fault *f)
{
	struct policy *p = calloc(1, sizeof(*p));
	const char *home = getenv("HOME");
	enum err e;

	if (!p)
		out_of_memory();
	p->flags = flags;
	p->flag_hooks = hooks;
	p->read.mem = &p->mem;
	p->home = str_of(home && home[0] == '/' ? home : NULL);
	e = take_flags(p, f);
	if (!e)
		e = read_user(p, f);
	if (!e)
		e = policy_roots(p, NULL, 0, NULL, 0, f);
	*ret = p;
	return e;
}

void policy_free(struct policy *p)
{
	struct arena mem;

	if (!p)
		return;
	mem = p->mem;
	free(p);
	arena_free(&mem);
}

static void add_rule(struct policy *p, struct policy_generation *m,
		     struct rule rule, struct str root)
{
	rule.root = root;
	set_home(p, &rule);
	*arena_add(&p->mem, m->rule, m->rules.count) = rule;
}

/* The number in "FILE:12:3". */
static size_t line_of(struct str origin)
{
	struct str line = str_head(origin, str_rfind(origin, ':'));

	return (size_t)strtoul(line.ptr + str_rfind(line, ':') + 1, NULL, 10);
}

static void add_ignore(struct policy *p, struct policy_generation *m,
		       const struct config_ignore *patterns, size_t n,
		       struct str source, struct str root)
{
	struct ignore_rule *rules = arena_array(&p->mem, struct ignore_rule, n);
	struct ignore_set *set;

	if (!n)
		return;
	for (size_t i = 0; i < n; i++) {
		(void)!ignore_parse_line(patterns[i].pattern, &rules[i]);
		if (patterns[i].origin.len)
			rules[i].line = line_of(patterns[i].origin);
	}
	set = arena_add(&p->mem, m->ignore, m->rules.ignore_count);
	set->root = root;
	set->list = (struct ignore_list){ STR(""), source, rules, n };
}

/* Settings in @by override those in @to. */
static void merge_history(struct config_history *to,
			  const struct config_history *by)
{
	if (by->has_off) {
		to->has_off = true;
		to->off = by->off;
	}
	if (by->max_age_days)
		to->max_age_days = by->max_age_days;
	if (by->max_bytes)
		to->max_bytes = by->max_bytes;
}

/*
 * A project may only take tools away, trusted or not: what its list leaves out
 * of all tools is not offered.
 */
static void withhold_tools(struct policy_generation *m,
			   const struct config_file *file)
{
	const struct selection tools = { file->tools, file->tool_count };

	if (file->tool_count)
		m->rules.withheld |= ~selection_offer(&tools, NULL).callable;
}

void policy_add_file(struct policy *p, struct policy_generation *m,
		     const struct config_file *file, struct str root,
		     bool trusted)
{
	for (size_t i = 0; i < file->rule_count; i++)
		if (trusted || file->rules[i].verdict != VERDICT_ALLOW)
			add_rule(p, m, file->rules[i], root);
	add_ignore(p, m, file->ignore, file->ignore_count, file->path, root);
	if (file->gitignore)
		m->rules.ignore_files = ignore_file_names_with_gitignore;
	if (trusted && file->find_ignored)
		m->rules.find_ignored = true;
	for (size_t i = 0; i < file->encoding_count; i++) {
		struct encoding_rule *e = arena_add(&p->mem, m->encodings,
						    m->rules.encoding_count);

		*e = file->encodings[i].rule;
		e->glob = policy_glob_in(p, root, e->glob);
		e->own = !root.len;
	}
	if (root.len)
		withhold_tools(m, file);
	if (trusted && root.len)
		policy_add_hooks(p, m, file, root);
	if (trusted)
		merge_history(&m->history, &file->history);
	/* a mode holds for all roots: one project of several cannot set it */
	if (trusted && file->has_mode && (m->alone || !root.len)) {
		m->rules.mode = file->mode;
		m->mode_origin = file->path;
	}
}

static void warn(struct policy *p, struct policy_generation *m,
		 const struct config_file *file, struct str root)
{
	*arena_add(&p->mem, m->warnings, m->warning_count) =
		arena_printf(&p->mem,
			     STR_FMT
			     ": ignored until you run 'stet trust " STR_FMT
			     "': " STR_FMT,
			     STR_ARG(file->path), STR_ARG(root),
			     STR_ARG(file->widening));
}

/* Settings that cannot be parsed might forbid anything: deny changes. */
void policy_shut(struct policy *p, struct policy_generation *m, struct str root,
		 struct str why)
{
	add_rule(p, m,
		 (struct rule){ .verdict = VERDICT_DENY,
				.tool = STR("write"),
				.text = STR("write"),
				.origin = why },
		 root);
}

enum err policy_shut_unread(struct policy *p, struct policy_generation *m,
			    struct str root, struct str because,
			    struct fault *f)
{
	struct str why =
		arena_printf(&p->mem,
			     STR_FMT ": its settings were ignored: " STR_FMT,
			     STR_ARG(root), STR_ARG(because));

	policy_shut(p, m, root, why);
	add_rule(p, m,
		 (struct rule){ .verdict = VERDICT_DENY,
				.tool = STR("read"),
				.text = STR("read"),
				.origin = why },
		 root);
	return fail(f, ERR_BAD_CONFIG, .text = why);
}

/* A project, trusted or not, must not decide who answers for the person. */
enum err policy_check_project(struct policy *p, const struct config_file *file,
			      struct fault *f)
{
	if (!file->approvals.has_person && !file->approvals.has_last)
		return ERR_OK;
	return fail(
		f, ERR_BAD_CONFIG,
		.text = arena_printf(
			&p->mem,
			STR_FMT
			": \"approvals\" is only allowed in your own settings, not in a project's",
			STR_ARG(file->path)));
}

static enum err read_project(struct policy *p, struct policy_generation *m,
			     struct str root, struct fault *f)
{
	struct config_file *file = arena_new(&p->mem, struct config_file);
	struct str text;
	bool trusted;
	enum err e;

	file->path = trust_project_path(root, &p->mem);
	e = trust_read_project(root, &p->mem, &text, f);
	if (e == ERR_NOT_FOUND) {
		policy_add_lost(p, m, root, STR(""));
		return ERR_OK;
	}
	if (!e)
		e = configfile_read(file->path, text, &p->mem, file, f);
	if (!e)
		e = policy_check_project(p, file, f);
	if (e) {
		policy_shut(p, m, root, f->text);
		return e;
	}
	file->digest = trust_digest(text, &p->mem);
	trusted = trust_has(&m->trust, root, file->digest);
	policy_add_file(p, m, file, root, trusted);
	policy_add_lost(p, m, root, file->digest);
	if (!trusted && file->widening.len)
		warn(p, m, file, root);
	return ERR_OK;
}

static struct config_ignore *flag_patterns(struct policy *p)
{
	const struct option_list *list = &p->flags->ignore;
	struct config_ignore *ret =
		arena_array(&p->mem, struct config_ignore, list->count);

	for (size_t i = 0; i < list->count; i++)
		ret[i].pattern = str_of(list->items[i]);
	return ret;
}

/* Adds flags and the person's settings, after those of the projects. */
static void add_person(struct policy *p, struct policy_generation *m)
{
	for (size_t i = 0; i < p->flag_count; i++)
		add_rule(p, m, p->flag_rules[i], STR(""));
	add_ignore(p, m, flag_patterns(p), p->flags->ignore.count,
		   STR("--ignore"), STR(""));
	policy_add_file(p, m, &p->user, STR(""), true);
	if (p->flag_mode) {
		m->rules.mode = p->mode;
		m->mode_origin = STR("--mode");
	}
}

static void publish(struct policy *p, struct policy_generation *m)
{
	m->rules.rule = m->rule;
	m->rules.ignore = m->ignore;
	m->rules.enclosing = m->enclosing;
	m->rules.ignore_above = m->ignore_above;
	m->rules.git_above = m->git_above;
	m->rules.git_tops = m->git_tops;
	m->rules.encodings = m->encodings;
	for (int when = 0; when < 2; when++)
		m->hooks.rows[when] = m->hook_rows[when];
	m->hooks.lost = m->lost;
	m->rules.hooks = &m->hooks;
	if (p->newest)
		atomic_store(&p->newest->rules.newer, &m->rules);
	else
		p->first = m;
	p->newest = m;
}

void policy_mode(struct policy *p, const char *mode)
{
	const char *name = mode ? mode : p->flags->mode;

	p->flag_mode = name && mode_named(str_of(name), &p->mode);
}

static void add_base(struct policy *p, struct policy_generation *m,
		     const struct str *base, size_t n)
{
	struct str *copy = arena_array(&p->mem, struct str, n);

	for (size_t i = 0; i < n; i++)
		copy[i] = arena_copy(&p->mem, base[i]);
	m->rules.base = copy;
	m->rules.base_count = n;
}

/* Reads the settings at @root, within the limit of @most bytes for all. */
static enum err read_root(struct policy *p, struct policy_generation *m,
			  struct str root, size_t most, struct fault *f)
{
	if (p->flags->no_config)
		return ERR_OK;
	if (p->mem.held <= most)
		return read_project(p, m, root, f);
	return policy_shut_unread(
		p, m, root,
		arena_printf(&p->mem,
			     "the settings of all roots together exceed %d MiB",
			     POLICY_MOST_BYTES >> 20),
		f);
}

enum err policy_roots(struct policy *p, const struct str *roots, size_t n,
		      const struct str *base, size_t base_count,
		      struct fault *f)
{
	struct policy_generation *m =
		arena_new(&p->mem, struct policy_generation);
	enum err e = ERR_OK, unknown, bad = ERR_OK;
	size_t most = p->mem.held + POLICY_MOST_BYTES;
	struct fault own;

	m->alone = n == 1;
	m->mode_origin = STR("built in");
	add_base(p, m, base, base_count);
	m->rules.ignore_files = ignore_file_names;
	policy_add_own_hooks(p, m);
	if (!p->flags->no_config && n)
		e = trust_load(&p->mem, &m->trust, f);
	unknown = e;
	for (size_t i = 0; i < n; i++) {
		if (unknown) /* the trusted hooks were not recorded: refuse everything */
			policy_shut(p, m, arena_copy(&p->mem, roots[i]),
				    f->text);
		bad = read_root(p, m, arena_copy(&p->mem, roots[i]), most,
				&own);
		if (bad && !e)
			e = fault_set(f, &own);
		bad = policy_read_above(p, m, roots[i], roots, n, &own);
		if (bad && !e)
			e = fault_set(f, &own);
		bad = policy_read_beneath(p, m, roots[i], roots, n, &own);
		if (bad && !e)
			e = fault_set(f, &own);
	}
	add_person(p, m);
	policy_read_ignore_above(p, m);
	policy_read_git(p, m, roots, n);
	publish(p, m);
	return e;
}

bool policy_is_full(const struct policy *p)
{
	return p->mem.held > POLICY_MOST_BYTES;
}

const struct rules *policy_rules(const struct policy *p)
{
	return &p->first->rules;
}

const struct config_history *policy_history(const struct policy *p)
{
	return &p->newest->history;
}

const struct config_approvals *policy_approvals(const struct policy *p)
{
	return &p->user.approvals;
}

const struct str *policy_warnings(const struct policy *p, size_t *ret_n)
{
	*ret_n = p->newest->warning_count;
	return p->newest->warnings;
}
