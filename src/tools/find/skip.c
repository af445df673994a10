/*
 * skip.c - the ignore files of a walk, in their order.
 *
 * A stack of lists for each kind; entering a directory pushes those of its files
 * that exist, which the listing shows without a system call. Most names are
 * decided by a comparison of bytes: glob_match() is called for patterns with
 * wildcards in the middle only.
 */
#include "tools/find/skip.h"

#include "files/path.h"
#include "tools/permissions/ignored.h"
#include "tools/permissions/patterns.h"

#include <stdlib.h>

static const char *const repository_names[] = { ".git", ".hg", ".svn",
						".bzr", ".jj", ".sl" };

bool skip_is_repository(struct str name)
{
	if (name.len < 3 || name.len > 4 || name.ptr[0] != '.')
		return false;
	for (size_t i = 0; i < COUNT_OF(repository_names); i++)
		if (str_is(name, repository_names[i]))
			return true;
	return false;
}

static void *array_room(void *array, size_t count, size_t *room, size_t size)
{
	if (count < *room)
		return array;
	*room = 2 * *room + 8;
	array = reallocarray(array, *room, size);
	if (!array)
		out_of_memory();
	return array;
}

static void lists_add(struct skip_lists *to, const struct ignore_list *list,
		      size_t prefix, struct patterns *file)
{
	to->list =
		array_room(to->list, to->count, &to->room, sizeof(*to->list));
	to->list[to->count++] =
		(struct skip_list){ list->rules, list->count, prefix, file };
}

static void lists_cut(struct skip_lists *lists, size_t count)
{
	while (lists->count > count)
		patterns_drop(lists->list[--lists->count].file);
}

/* The bytes of a key in front of what is below @dir. */
static size_t prefix_of(struct str dir)
{
	return dir.len + !str_ends(dir, STR("/"));
}

static void read_file(struct skip *skip, enum skip_kind kind,
		      struct tree_dir *dir, const char *name)
{
	struct patterns *file;

	switch (patterns_in(dir, name, &file)) {
	case PATTERNS_ABSENT:
		return;
	case PATTERNS_UNUSABLE:
		++*skip->unreadable;
		return;
	case PATTERNS_HERE:
		lists_add(&skip->kind[kind], &file->list, prefix_of(dir->key),
			  file);
		return;
	}
}

static bool may_exist(struct tree_dir *dir, const struct tree_list *list,
		      const char *name)
{
	enum tree_kind kind;
	struct stat st;

	return list ? tree_list_has(list, name, &kind)
		    : tree_stat(dir, name, &st);
}

/* Patterns of .git/info/exclude are relative to the top of the repository. */
static void read_exclude(struct skip *skip, struct tree_dir *dir)
{
	struct tree_dir *git = tree_dir_at(dir, ".git");
	struct tree_dir *info = git ? tree_dir_at(git, "info") : NULL;
	struct skip_lists *lists = &skip->kind[SKIP_EXCLUDE];
	size_t before = lists->count;

	if (info)
		read_file(skip, SKIP_EXCLUDE, info, "exclude");
	if (lists->count > before)
		lists->list[before].prefix = skip->repository;
	tree_dir_drop(info);
	tree_dir_drop(git);
}

/* A repository begins here: what is above it does not count for git. */
static void enter_repository(struct skip *skip, struct tree_dir *dir)
{
	skip->in_repository = true;
	skip->git_from = (uint32_t)skip->kind[SKIP_GITIGNORE].count;
	skip->repository = prefix_of(dir->key);
	lists_add(&skip->kind[SKIP_EXCLUDE], &(struct ignore_list){ 0 }, 0,
		  NULL);
	read_exclude(skip, dir);
}

static void push_frame(struct skip *skip)
{
	struct skip_frame *frame;

	skip->frame = array_room(skip->frame, skip->frames, &skip->frame_room,
				 sizeof(*skip->frame));
	frame = &skip->frame[skip->frames++];
	for (size_t i = 0; i < SKIP_KINDS; i++)
		frame->count[i] = (uint32_t)skip->kind[i].count;
	frame->switched_off = (uint32_t)skip->off_count;
	frame->git_from = skip->git_from;
	frame->in_repository = skip->in_repository;
	frame->repository = skip->repository;
}

static void read_kinds(struct skip *skip, struct tree_dir *dir,
		       const struct tree_list *list)
{
	static const struct {
		enum skip_kind kind;
		const char *name;
	} files[] = { { SKIP_GITIGNORE, ".gitignore" },
		      { SKIP_IGNORE, ".ignore" },
		      { SKIP_RGIGNORE, ".rgignore" } };

	if (may_exist(dir, list, ".git"))
		enter_repository(skip, dir);
	for (size_t i = 0; i < COUNT_OF(files); i++)
		if (may_exist(dir, list, files[i].name))
			read_file(skip, files[i].kind, dir, files[i].name);
}

/* Names of ignore files begin with a dot. */
static bool has_dot_names(const struct tree_list *list)
{
	size_t n = tree_list_count(list);

	/* Few characters are before the dot. */
	for (size_t i = 0; i < n; i++) {
		char c = tree_list_at(list, i).name.ptr[0];

		if (c >= '.')
			return c == '.';
	}
	return false;
}

void skip_enter(struct skip *skip, struct tree_dir *dir,
		const struct tree_list *list)
{
	push_frame(skip);
	if (list && !has_dot_names(list))
		return;
	if (!skip->only_own)
		read_kinds(skip, dir, list);
	for (size_t i = 0; skip->own[i] && SKIP_OWN + i < SKIP_KINDS; i++)
		if (may_exist(dir, list, skip->own[i]))
			read_file(skip, (enum skip_kind)(SKIP_OWN + i), dir,
				  skip->own[i]);
}

void skip_leave(struct skip *skip)
{
	const struct skip_frame *frame = &skip->frame[--skip->frames];

	for (size_t i = 0; i < SKIP_KINDS; i++)
		if (skip->kind[i].count > frame->count[i])
			lists_cut(&skip->kind[i], frame->count[i]);
	skip->off_count = frame->switched_off;
	skip->git_from = frame->git_from;
	skip->in_repository = frame->in_repository;
	skip->repository = frame->repository;
}

/* The entry that is decided about. */
struct skip_entry {
	struct str path, name;
	bool is_dir;
};

/*
 * The same as ignore_matches(), with the common forms decided here. A pattern
 * that takes too long does not match.
 */
static bool skip_fits(const struct ignore_rule *rule, size_t prefix,
		      const struct skip_entry *e)
{
	struct str pattern = rule->pattern, rest;

	if (rule->only_directory && !e->is_dir)
		return false;
	if (rule->only_name) {
		if (rule->literal == pattern.len)
			return str_eq(pattern, e->name);
		if (rule->only_end)
			return str_ends(e->name, str_skip(pattern, 1));
		if (rule->literal &&
		    (!e->name.len || pattern.ptr[0] != e->name.ptr[0]))
			return false;
		return ignore_matches(rule, e->name, e->is_dir, 0);
	}
	rest = str_skip(e->path, prefix);
	if (rule->literal &&
	    !str_starts(rest, str_head(pattern, rule->literal)))
		return false;
	if (rule->literal == pattern.len)
		return rest.len == pattern.len;
	return ignore_matches(rule, rest, e->is_dir, 0);
}

static bool is_off(const struct skip *skip, const struct ignore_rule *rule)
{
	for (size_t i = 0; i < skip->off_count; i++)
		if (skip->off[i].rule == rule)
			return true;
	return false;
}

/* The last rule of the list that matches, or NULL. */
static const struct ignore_rule *list_match(const struct skip *skip,
					    const struct skip_list *list,
					    const struct skip_entry *e)
{
	if (list->prefix > e->path.len)
		return NULL;
	for (size_t i = list->count; i-- > 0;)
		if (skip_fits(&list->rules[i], list->prefix, e) &&
		    !is_off(skip, &list->rules[i]))
			return &list->rules[i];
	return NULL;
}

/* The rule of that kind that decides, from the deepest directory up. */
static const struct ignore_rule *kind_match(const struct skip *skip,
					    enum skip_kind kind, size_t from,
					    const struct skip_entry *e)
{
	const struct skip_lists *lists = &skip->kind[kind];
	const struct ignore_rule *rule = NULL;

	for (size_t i = lists->count; !rule && i-- > from;)
		rule = list_match(skip, &lists->list[i], e);
	return rule;
}

/* The latest list of excludes is that of the repository. */
static const struct ignore_rule *git_match(const struct skip *skip,
					   const struct skip_entry *e)
{
	const struct ignore_rule *rule;
	size_t excludes = skip->kind[SKIP_EXCLUDE].count;

	if (!skip->in_repository)
		return NULL;
	rule = kind_match(skip, SKIP_GITIGNORE, skip->git_from, e);
	if (!rule && excludes)
		rule = kind_match(skip, SKIP_EXCLUDE, excludes - 1, e);
	for (size_t i = 0; !rule && i < skip->kind[SKIP_PERSON].count; i++) {
		struct skip_list list = skip->kind[SKIP_PERSON].list[i];

		list.prefix = skip->repository;
		rule = list_match(skip, &list, e);
	}
	return rule;
}

/* The rule that ignores the entry, or NULL. */
static const struct ignore_rule *skip_rule(const struct skip *skip,
					   const struct skip_entry *e)
{
	const struct ignore_rule *rule;

	rule = kind_match(skip, SKIP_RGIGNORE, 0, e);
	if (!rule)
		rule = kind_match(skip, SKIP_IGNORE, 0, e);
	if (!rule)
		rule = git_match(skip, e);
	if (rule && !rule->negated)
		return rule;
	for (unsigned k = SKIP_OWN; k < SKIP_KINDS; k++) {
		rule = kind_match(skip, (enum skip_kind)k, 0, e);
		if (rule && !rule->negated)
			return rule;
	}
	for (size_t i = 0; i < skip->settings.count; i++) {
		rule = list_match(skip, &skip->settings.list[i], e);
		if (rule && !rule->negated)
			return rule;
	}
	return NULL;
}

bool skip_has(const struct skip *skip, struct str path, struct str name,
	      bool is_dir)
{
	const struct skip_entry e = { path, name, is_dir };

	return skip_rule(skip, &e);
}

void skip_exempt(struct skip *skip, struct str path, struct str name,
		 bool is_dir)
{
	const struct skip_entry e = { path, name, is_dir };
	const struct ignore_rule *rule;

	while ((rule = skip_rule(skip, &e))) {
		skip->off = array_room(skip->off, skip->off_count,
				       &skip->off_room, sizeof(*skip->off));
		skip->off[skip->off_count++].rule = rule;
	}
}

static bool is_within(struct str key, struct str dir)
{
	struct str rest;

	return !dir.len || path_beneath(key, dir, &rest);
}

static void add_git_above(struct skip *skip, struct str key)
{
	static const enum skip_kind kinds[] = {
		[GIT_ABOVE_PERSON] = SKIP_PERSON,
		[GIT_ABOVE_EXCLUDE] = SKIP_EXCLUDE,
		[GIT_ABOVE_IGNORE] = SKIP_GITIGNORE,
	};
	const struct rules *r = skip->rules;

	for (size_t i = 0; i < r->git_above_count; i++)
		if (is_within(key, r->git_above[i].dir))
			lists_add(&skip->kind[kinds[r->git_above[i].kind]],
				  &r->git_above[i].list,
				  r->git_above[i].dir.len
					  ? prefix_of(r->git_above[i].dir)
					  : 0,
				  NULL);
	for (size_t i = 0; i < r->git_top_count; i++)
		if (is_within(key, r->git_tops[i])) {
			skip->in_repository = true;
			skip->repository = prefix_of(r->git_tops[i]);
		}
}

static void add_own_above(struct skip *skip, struct str key)
{
	const struct rules *r = skip->rules;

	for (size_t i = 0; i < r->ignore_above_count; i++) {
		const struct ignore_above *file = &r->ignore_above[i];

		if (!is_within(key, file->dir) ||
		    SKIP_OWN + file->name >= SKIP_KINDS)
			continue;
		if (file->unusable.len)
			++*skip->unreadable;
		else
			lists_add(&skip->kind[SKIP_OWN + file->name],
				  &file->list, prefix_of(file->dir), NULL);
	}
}

/* Patterns of the settings are relative to every root that they are for. */
static void add_settings(struct skip *skip, struct str key,
			 const struct str *roots, size_t root_count)
{
	const struct rules *r = skip->rules;

	for (size_t i = 0; i < r->ignore_count; i++) {
		const struct ignore_set *set = &r->ignore[i];

		if (set->root.len && is_within(key, set->root))
			lists_add(&skip->settings, &set->list,
				  prefix_of(set->root), NULL);
		for (size_t k = 0; !set->root.len && k < root_count; k++)
			if (is_within(key, roots[k]))
				lists_add(&skip->settings, &set->list,
					  prefix_of(roots[k]), NULL);
	}
}

/* The directories above the start: each is named by the path to it. */
static void enter_above(void *ctx, struct tree_dir *dir)
{
	struct skip *skip = ctx;
	size_t slash = str_rfind(dir->key, '/');

	if (skip->frames)
		skip_exempt(skip, dir->key, str_skip(dir->key, slash + 1),
			    true);
	skip_enter(skip, dir, NULL);
}

static void skip_reset(struct skip *skip)
{
	for (size_t i = 0; i < SKIP_KINDS; i++)
		lists_cut(&skip->kind[i], 0);
	skip->settings.count = skip->off_count = skip->frames = 0;
	skip->git_from = 0;
	skip->repository = 0;
	skip->in_repository = false;
}

void skip_begin(struct skip *skip, struct tree_place *place,
		const struct str *roots, size_t root_count)
{
	size_t slash = str_rfind(place->key, '/');

	skip_reset(skip);
	skip->own = ignore_file_names;
	if (skip->rules) {
		if (skip->rules->ignore_files)
			skip->own = skip->rules->ignore_files;
		if (!skip->only_own)
			add_git_above(skip, place->key);
		add_own_above(skip, place->key);
		add_settings(skip, place->key, roots, root_count);
	}
	tree_above(place, enter_above, skip);
	skip_exempt(skip, place->key, str_skip(place->key, slash + 1),
		    place->kind == TREE_DIRECTORY);
}

void skip_free(struct skip *skip)
{
	skip_reset(skip);
	for (size_t i = 0; i < SKIP_KINDS; i++)
		free(skip->kind[i].list);
	free(skip->settings.list);
	free(skip->off);
	free(skip->frame);
}
