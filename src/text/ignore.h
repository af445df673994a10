/*
 * ignore.h - which files a project wants left alone, by git's rules.
 *
 * The text of a .gitignore, or of any file like it, becomes a list of rules;
 * lists of several directories together decide about a path. All of it as git
 * does (tests/oracle/ignore_git.py holds both against each other):
 *
 *	# comment   \#  \!  a name that starts with one
 *	!pattern    takes back what an earlier rule said
 *	dir/        only a directory, and so all that is in it
 *	/a  a/b     from the directory of the list; without a "/": a name anywhere
 *	** ? [a-z]  see glob.h
 *
 * A file cannot be taken back when a directory above it is left out.
 */
#ifndef STET_IGNORE_H
#define STET_IGNORE_H

#include "base/arena.h"
#include "text/glob.h"

struct ignore_rule {
	struct str pattern; /* without "!" and the last "/" */
	size_t literal;     /* so many bytes of it stand for themselves */
	size_t line;        /* where it is in the text, from 1 */
	bool negated;
	bool only_directory;
	bool only_name; /* it has no slash: for the last part of a path */
	bool only_end;  /* and is a star, then what stands for itself: "*.o" */
};

/* The rules of one text, and the directory they are for. */
struct ignore_list {
	struct str dir;    /* from the root, "src/lib"; "" = the root */
	struct str source; /* whatever the caller wants to know of it */
	const struct ignore_rule *rules;
	size_t count;
};

/* The rule of one line; false when it is empty or a comment. */
must_check bool ignore_parse_line(struct str line, struct ignore_rule *ret);

/*
 * The most that one list may have, and the most steps (glob.h) that one
 * decision may take. A file of patterns comes with a project, from whoever
 * wrote it: without limits it decides how long every call takes.
 */
enum {
	IGNORE_MAX_PATTERNS = 64 * 1024,
	IGNORE_MAX_PATTERN_BYTES = 4096,
	IGNORE_MAX_STEPS = 8 * 1000 * 1000,
	IGNORE_MAX_RULE_STEPS = 100 * 1000, /* of ignore_fits(), as in glob.h */
};

enum ignore_fault {
	IGNORE_TAKEN,
	IGNORE_TOO_MANY, /* patterns */
	IGNORE_TOO_LONG, /* a pattern is */
};

/*
 * Fill in rules and count. They are views into @text. A list over a limit has
 * no rules: it must be taken to leave everything alone.
 */
enum ignore_fault ignore_parse(struct str text, struct arena *mem,
			       struct ignore_list *ret);

/* Does @rule fit @path, from the directory of its list? Flags as in glob.h. */
bool ignore_fits(const struct ignore_rule *rule, struct str path, bool is_dir,
		 unsigned flags);

/*
 * The same, with the steps it takes off @account, unless that is NULL. When
 * nothing is left there, rules fit with GLOB_WARY, and without it do not.
 */
bool ignore_fits_within(const struct ignore_rule *rule, struct str path,
			bool is_dir, unsigned flags,
			struct glob_effort *account);

/* What decided, for whoever wants to be told. */
struct ignore_cause {
	const struct ignore_list *list; /* NULL = no rule fits */
	const struct ignore_rule *rule;
};

/*
 * Is @path, from the root and written the short way, left out? @lists go from
 * the root down: the nearer one wins, and in a list the last rule. @cause may
 * be NULL. What takes more than IGNORE_MAX_STEPS is left out; the cause is
 * then the rule that was the last to be looked at.
 */
bool ignore_decide(const struct ignore_list *lists, size_t n, struct str path,
		   bool is_dir, struct ignore_cause *cause);

/* The same on account of @effort: see whether that is exhausted afterwards. */
bool ignore_decide_within(const struct ignore_list *lists, size_t n,
			  struct str path, bool is_dir,
			  struct glob_effort *effort,
			  struct ignore_cause *cause);

#endif
