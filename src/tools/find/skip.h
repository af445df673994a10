/*
 * skip.h - which entries of a walk the ignore files leave out.
 *
 * From the weakest to the strongest; of the rules that match, one of the
 * strongest kind decides, among these one of the deepest directory, among these
 * the last; "!" takes back:
 *
 *	the person's git excludes          only inside a repository
 *	.git/info/exclude                  of the repository
 *	.gitignore                         from the top of the repository down
 *	.ignore, .rgignore                 from the root down
 *	.stetignore and the like, settings each on its own: no "!" elsewhere
 *	                                   takes them back
 *
 * Everything is decided entry by entry on the way down: what is below an ignored
 * directory is never asked about. So rules can be switched off for what the
 * caller has named (skip_exempt()), and all others still apply beneath.
 */
#ifndef STET_SKIP_H
#define STET_SKIP_H

#include "files/tree.h"
#include "tools/permissions/rules.h"

enum skip_kind {
	SKIP_PERSON,  /* git excludes of the person */
	SKIP_EXCLUDE, /* .git/info/exclude */
	SKIP_GITIGNORE,
	SKIP_IGNORE,
	SKIP_RGIGNORE,
	SKIP_OWN, /* the first name of rules.ignore_files; others follow */
};

enum { SKIP_KINDS = SKIP_OWN + 8 };

/* The rules of one ignore file, or of one list of the settings. */
struct skip_list {
	const struct ignore_rule *rules;
	size_t count;
	size_t prefix; /* bytes of a key in front of the path that is matched */
	struct patterns *file; /* NULL = the list lives with the rules */
};

/* A rule that is switched off: see skip_exempt(). */
struct skip_off {
	const struct ignore_rule *rule;
};

struct skip_lists {
	struct skip_list *list;
	size_t count, room;
};

/* State before a skip_enter(), for the skip_leave() that follows. */
struct skip_frame {
	uint32_t count[SKIP_KINDS];
	uint32_t switched_off;
	uint32_t git_from;
	bool in_repository;
	size_t repository;
};

struct skip {
	const struct rules *rules; /* may be NULL */
	const char *const *own;    /* names of stet's ignore files */
	bool only_own;             /* --find-ignored */
	size_t *unreadable;        /* counts ignore files that cannot be read */

	struct skip_lists kind[SKIP_KINDS];
	struct skip_lists settings; /* each list decides on its own */
	uint32_t git_from;          /* first .gitignore of the repository */
	bool in_repository;
	size_t repository;    /* prefix of its top, as in struct skip_list */
	struct skip_off *off; /* rules that are switched off */
	size_t off_count, off_room;
	struct skip_frame *frame;
	size_t frames, frame_room;
};

/* Is it the directory of a version control system? These are not entered. */
bool skip_is_repository(struct str name);

/*
 * Prepare for a walk below @place: ignore files from the outermost root down to
 * it. Rules that ignore the place itself are switched off: the caller named it.
 */
void skip_begin(struct skip *skip, struct tree_place *place,
		const struct str *roots, size_t root_count);

/* A directory was entered, or left; these nest. @list may be NULL: unknown. */
void skip_enter(struct skip *skip, struct tree_dir *dir,
		const struct tree_list *list);
void skip_leave(struct skip *skip);

/* Is the entry ignored? @path is its key, @name its last component. */
bool skip_has(const struct skip *skip, struct str path, struct str name,
	      bool is_dir);

/*
 * Switch off the rules that ignore this entry, until the frame is left in which
 * it was called.
 */
void skip_exempt(struct skip *skip, struct str path, struct str name,
		 bool is_dir);

void skip_free(struct skip *skip);

#endif
