/*
 * visible.h - what the rules let a search see.
 *
 * The verdict is that of rules_decide() for every entry. That would cost
 * microseconds each, so the names that the rules can concern are looked for
 * first: a rule is taken apart into a directory that must be on the way and a
 * test of the last name, and only an entry that passes these is judged. The
 * tests let through too much, never too little.
 */
#ifndef STET_VISIBLE_H
#define STET_VISIBLE_H

#include "files/tree.h"
#include "tools/permissions/rules.h"

enum visibility {
	VISIBLE,
	VISIBLE_ASKS, /* reading needs an approval */
	VISIBLE_NOT,  /* hidden: as if it did not exist */
};

enum { VISIBLE_MOST_RULES = 64 }; /* with more, everything is judged */

enum visible_test {
	VISIBLE_ANY,
	VISIBLE_EXACT,
	VISIBLE_PREFIX,
	VISIBLE_SUFFIX,
};

/* The quick test of one rule; names are compared without case. */
struct visible_rule {
	struct str way;  /* name of a directory that the path must pass; "" */
	struct str text; /* for the test of the last name */
	enum visible_test test;
	bool only_directory;
};

/* For the entries of one directory. */
struct visible_frame {
	uint64_t active; /* bits of the rules whose way was passed */
	bool all;        /* judge every entry, without quick tests */
};

struct visible {
	struct call *call;
	const struct rules *rules; /* NULL = everything is visible */
	const struct str *roots;
	size_t root_count;
	struct visible_rule rule[VISIBLE_MOST_RULES];
	size_t count;
	bool all;
	size_t key_len;   /* bytes of the key of the walk's start */
	struct str given; /* path of the start, as the caller gave it */
	struct visible_frame *frame;
	size_t frames, room;
	struct arena mem;
};

void visible_init(struct visible *v, struct call *c, const struct str *roots,
		  size_t root_count);

/* A walk begins below the directory with @key, given as @path. */
void visible_begin(struct visible *v, struct str key, struct str path);

/* The directory with that name was entered or left; these nest. */
void visible_enter(struct visible *v, struct str name);
void visible_leave(struct visible *v);

/* The verdict on an entry; @name is the last component of its @key. */
enum visibility visible_is(struct visible *v, struct str key, struct str name,
			   bool is_dir);

void visible_free(struct visible *v);

#endif
