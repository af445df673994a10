/*
 * rules.h - decides whether an action on a file is allowed.
 *
 * Pure: a struct action says what is about to happen to which file, a struct
 * rules what the person wants, and rules_decide() what follows from both. It
 * opens no file and asks nobody; the gate (gate.h) acts on the decision.
 *
 * The steps in their order; the first that applies decides (A52):
 *
 *	own      no tool ever changes the settings of a project (.stet)
 *	plan     in mode plan nothing is changed
 *	deny     rules; not in mode yolo
 *	ignored  an ignore file of the project, or the settings, exclude it
 *	ask      rules; not in bypassPermissions and yolo, and in acceptEdits
 *	         only for reads
 *	allow    rules
 *	mode     bypassPermissions and yolo allow; the others ask for sensitive
 *	         paths: for changes of all, for reads of secrets
 *
 * A path is matched as it was given and without symlinks: to forbid or ask, a
 * rule must match one of them. Rules that forbid or ask ignore case.
 *
 * A choice of roots cannot evade a rule. A pattern is matched against the rest
 * of the path behind each root that the file is in: to forbid or ask it must
 * match one of them, to allow all of them. Rules of the person that forbid are
 * also matched from every directory above the root, starting where stet was
 * started (struct rules: base), as if a client had declared that directory as
 * its root. Rules of a project apply in every root beneath it; those that forbid
 * or ask also when the roots are only parts of the project (struct rules:
 * enclosing). Sensitive paths are matched in the absolute path (sensitive.h).
 *
 * Patterns come from the author of a project and are not trusted: all matching
 * of a call shares one budget (struct action: effort). When it is exhausted,
 * rules that forbid or ask count as matching, rules that allow do not.
 *
 * Stet's own files are not subject to rules: files/own.h denies them always.
 */
#ifndef STET_RULES_H
#define STET_RULES_H

#include "text/pattern/ignore.h"
#include "tools/call/tool.h"

enum mode {
	MODE_DEFAULT,
	MODE_PLAN,
	MODE_ACCEPT_EDITS,
	MODE_BYPASS,
	MODE_YOLO,
};

/* acceptEdits, accept-edits and accept_edits are one mode. */
must_check bool mode_named(struct str name, enum mode *ret);
const char *mode_name(enum mode m);

enum verdict { VERDICT_ALLOW, VERDICT_ASK, VERDICT_DENY };

const char *verdict_name(enum verdict v);

/*
 * "TOOL", "TOOL(GLOB)", and conditions behind it: "write(src) bytes>9999".
 *
 * TOOL is the name of a tool, a family, "read" or "write" for all tools that
 * only read or that change files, or "*". GLOB is a line as in .gitignore,
 * from the root; one that starts with "/" or "~/" is for absolute paths too.
 * Conditions are for changes only: lines_removed>N, bytes>N (of the file
 * afterwards) and files>N (that the call changes). Where a size is not known
 * yet, it is over the limit.
 *
 * In rules that deny or ask, Edit, Write, MultiEdit and NotebookEdit stand for
 * every tool that changes files, Read, Grep and Glob for every one that reads.
 *
 * A rule that denies a reading tool hides the file from all tools.
 */
struct rule {
	enum verdict verdict;
	bool by_lines, by_bytes, by_files;
	struct str tool;
	struct str path;         /* "" = any */
	struct ignore_rule glob; /* @path, parsed */
	struct str home;         /* the directory that "~" means */
	struct str real_home;    /* @home without symlinks; "" = the same */
	struct str root;         /* only for files beneath it; "" = any root */
	uint64_t lines_removed, bytes, files;
	struct str text;   /* as the person wrote it */
	struct str origin; /* "--deny", "~/.config/stet/config.json:12:3" */
};

static inline bool rule_has_condition(const struct rule *rule)
{
	return rule->by_lines || rule->by_bytes || rule->by_files;
}

/* Fill in the rule from @text; ERR_BAD_ARGS says what is wrong with it. */
must_check enum err rule_parse(struct str text, struct arena *mem,
			       struct rule *ret, struct fault *f);

/* Patterns of the settings: files that tools must not change. */
struct ignore_set {
	struct str root; /* only for files beneath it; "" = any root */
	struct ignore_list list;
};

/* An ignore file above the roots; read together with the rules. */
struct ignore_above {
	struct str dir; /* without symlinks */
	unsigned name;  /* index of its name in ignore_files */
	struct ignore_list list;
	struct str
		unusable; /* why all beneath is left alone; "" = by the list */
};

/* What git ignores by files outside the roots; read with the rules. */
enum git_above_kind {
	GIT_ABOVE_PERSON,  /* the person's own excludes, for any repository */
	GIT_ABOVE_EXCLUDE, /* .git/info/exclude of a repository ... */
	GIT_ABOVE_IGNORE,  /* ... and its .gitignore files, from the top down */
};

struct git_above {
	enum git_above_kind kind;
	struct str dir; /* that the patterns are relative to; "" = any */
	struct ignore_list list;
};

struct rules {
	enum mode mode;
	const struct rule *rule; /* in order of precedence */
	size_t count;
	/*
	 * Directories that the person named, without symlinks: those of the
	 * command line, or where stet was started. Patterns of sensitive.h with
	 * scope BENEATH match only below them; roots of clients do not count.
	 */
	const struct str *base;
	size_t base_count;
	/*
	 * Directories above the roots that have settings of a project. The
	 * rules of these have the directory as root, and only forbid or ask.
	 */
	const struct str *enclosing;
	size_t enclosing_count;
	/* Each set decides on its own: none negates another. */
	const struct ignore_set *ignore;
	size_t ignore_count;
	/* Names of the ignore files in the project; ends with NULL, or NULL. */
	const char *const *ignore_files;
	const struct ignore_above *ignore_above; /* outermost first */
	size_t ignore_above_count;
	const struct git_above *git_above; /* for finding only */
	size_t git_above_count;
	/* Directories above the roots that are the top of a repository. */
	const struct str *git_tops;
	size_t git_top_count;
	bool find_ignored; /* of the settings: as --find-ignored */
	/* Encodings of the settings; the last one that matches counts. */
	const struct encoding_rule *encodings;
	size_t encoding_count;
	const struct hooks *hooks; /* of the settings; NULL = none there */
	uint64_t
		withheld; /* tools that a project takes away: see selection.h */
	/* Replacement, made when roots or settings changed; see rules_now(). */
	const struct rules *_Atomic newer;
};

/* The newest rules. Every function here also accepts outdated ones. */
const struct rules *rules_now(const struct rules *r);

enum { ACTION_NAMES = 4 };

/* The path of a file relative to one of the roots that it is in. */
struct action_spot {
	struct str root, part; /* the root, and the path behind it */
	bool by_key;           /* from the key, else from the given path */
	bool folded;           /* case-folded: see caseless.h */
	bool above;            /* a directory above the root; root is "" ... */
	bool project;          /* ... or the directory of a project */
	bool inner;            /* another spot above has more of the path */
};

enum { RULES_MAX_STEPS = IGNORE_MAX_STEPS }; /* matching steps per call */

/* An action on a file. action_place() fills in the second part. */
struct action {
	const struct tool *tool;
	bool changes;
	bool directory;        /* the path is that of a directory ... */
	bool holds_repository; /* ... with a .git in it */
	size_t files;          /* that the call changes; 0 = not known yet */
	bool known_size;
	uint64_t bytes; /* size of the file afterwards */
	size_t lines_removed, lines_added;
	struct str ignored; /* file and line that ignore it; "" = none */
	struct glob_budget *effort; /* of the call; NULL = no shared limit */

	struct str path, key; /* normalized: as given, and without symlinks */
	/* The outermost root of each, and the rest behind it; "" = none */
	struct str root, path_root;
	struct str key_part, part;
	/* All its names: the key, the path, and both case-folded. */
	struct str name[ACTION_NAMES];
	size_t name_count,
		plain_count;      /* the first plain_count are not folded */
	struct action_spot *spot; /* one for every root that it is in */
	size_t spot_count;
};

/* Fill in names and spots; @roots are without symlinks. */
void action_place(struct action *d, struct str path, struct str key,
		  const struct str *roots, size_t n, struct arena *mem);

/*
 * Add the spots above the roots, for rules of the person and of projects around
 * the roots; @r may be NULL.
 */
void action_place_above(struct action *d, const struct rules *r,
			struct arena *mem);

/* No symlink is in the path, as nearly always. */
static inline bool action_same_name(const struct action *d)
{
	return d->key.ptr == d->path.ptr;
}

struct decision {
	enum verdict verdict;
	const struct rule *rule; /* the deciding rule, or NULL */
	const char *reason;      /* for programs, see rules_decide() */
	struct str why;          /* the rule, or a sentence, for people */
	bool hidden;             /* the file must seem not to exist */
};

/* reason: "config", "plan_mode", "rule", "ignored", "sensitive" or "mode" */
void rules_decide(const struct rules *r, const struct action *d,
		  struct decision *ret);

/*
 * A tool that changes a file also reveals content: lines around the change, or
 * candidates of a failed match. So rules that ask before reading apply as well:
 * true when one of them asks for any tool that shows content. A file with
 * secrets is not asked for if a rule allows @d->tool to change it.
 */
bool rules_ask_to_tell(const struct rules *r, const struct action *d,
		       struct decision *ret);

/* Is the file hidden from every tool? d->tool is not used. */
bool rules_denied(const struct rules *r, const struct action *d);

/* The same, with the rule that hides it. */
bool rules_hidden(const struct rules *r, const struct action *d,
		  struct decision *ret);

/*
 * Do the settings ignore the file? Ignore files of the project are in ignored.h.
 * @cause may be NULL.
 */
bool rules_ignored(const struct rules *r, const struct action *d,
		   struct ignore_cause *cause);

/* "deny write(docs) (--deny)": the rule and its origin, for people. */
struct str rule_says(const struct rule *rule, struct arena *mem);

/*
 * Does the pattern match @path, a directory if @is_dir is set, or a directory
 * above it? Flags: glob.h.
 */
bool rule_fits_within(const struct ignore_rule *rule, struct str path,
		      bool is_dir, unsigned flags, struct glob_budget *effort);

/* May the rule deny @tool to read some file, hide it, or ask before? */
bool rule_stops_reading(const struct rule *rule, const struct tool *tool);

#endif
