/*
 * ignore.h - gitignore rules: which files a project excludes.
 *
 * The text of a .gitignore, or of a file in its format, becomes a list of
 * rules; the lists of several directories together decide about a path, exactly
 * as git does (tests/oracle/ignore_git.py compares both):
 *
 *	# comment   \#  \!  a name that starts with one
 *	!pattern    re-includes what an earlier rule excluded
 *	dir/        only a directory, and so everything in it
 *	/a  a/b     relative to the list's directory; without "/": any name
 *	** ? [a-z]  see glob.h
 *
 * A file cannot be re-included when a directory above it is excluded.
 */
#ifndef STET_IGNORE_H
#define STET_IGNORE_H

#include "base/arena.h"
#include "text/pattern/glob.h"

struct ignore_rule {
	struct str pattern; /* without a leading ! and a final / */
	size_t literal;     /* bytes at the front without wildcards */
	size_t line;        /* line number in the file, from 1 */
	bool negated;
	bool only_directory;
	bool only_name; /* no slash: matches the last component */
	bool only_end;  /* only_name, and a star before a literal: *.o */
};

/* The rules of one file, and the directory they apply to. */
struct ignore_list {
	struct str dir; /* relative to the root, as src/lib; empty: the root */
	struct str source; /* for the caller, not used here */
	const struct ignore_rule *rules;
	size_t count;
};

/* Parse one line; false when it is empty or a comment. */
must_check bool ignore_parse_line(struct str line, struct ignore_rule *ret);

/*
 * Limits of one list, and of the steps (glob.h) of one decision. A file of
 * patterns comes with a project, from an untrusted author: without limits it
 * could make every call slow.
 */
enum {
	IGNORE_MAX_PATTERNS = 64 * 1024,
	IGNORE_MAX_PATTERN_BYTES = 4096,
	IGNORE_MAX_STEPS = 8 * 1000 * 1000,
	IGNORE_MAX_RULE_STEPS = 100 * 1000, /* of ignore_matches() */
};

enum ignore_fault {
	IGNORE_OK,
	IGNORE_TOO_MANY,
	IGNORE_TOO_LONG,
};

/*
 * Set rules and count of @ret; rules are views into @text. A list over a limit
 * has no rules: the caller must treat every path as excluded.
 */
enum ignore_fault ignore_parse(struct str text, struct arena *mem,
			       struct ignore_list *ret);

/*
 * Does @rule match @path, relative to the directory of its list? Flags as in
 * glob.h.
 */
bool ignore_matches(const struct ignore_rule *rule, struct str path,
		    bool is_dir, unsigned flags);

/*
 * The same, with its steps taken from @budget, unless that is NULL. When the
 * budget is exhausted, the rule matches if and only if GLOB_FAIL_CLOSED is set.
 */
bool ignore_matches_within(const struct ignore_rule *rule, struct str path,
			   bool is_dir, unsigned flags,
			   struct glob_budget *budget);

/* The rule that decided. */
struct ignore_cause {
	const struct ignore_list *list; /* NULL = no rule matched */
	const struct ignore_rule *rule;
};

/*
 * Is @path, relative to the root and normalised, excluded? @lists go from the
 * root down: the list of a deeper directory wins, and in a list the last rule.
 * @cause may be NULL. A path that takes more than IGNORE_MAX_STEPS is excluded;
 * the cause is then the rule examined last.
 */
bool ignore_decide(const struct ignore_list *lists, size_t n, struct str path,
		   bool is_dir, struct ignore_cause *cause);

/* The same with its steps from @budget: check budget->exhausted afterwards. */
bool ignore_decide_within(const struct ignore_list *lists, size_t n,
			  struct str path, bool is_dir,
			  struct glob_budget *budget,
			  struct ignore_cause *cause);

#endif
