/*
 * rules.h - may this be done? Asked before a file is touched.
 *
 * Pure: a struct deed says what is about to happen to which file, a struct
 * rules what the person wants, and rules_decide() what follows from both. It
 * looks at no file and asks nobody; whoever calls it does what it says.
 *
 * The order, first one that has something to say (A52):
 *
 *	own      a project's settings (.stet) are changed by no tool, ever
 *	plan     in this mode nothing is changed
 *	deny     rules; not in mode yolo
 *	ignored  the project wants the file left alone
 *	ask      rules; not in bypassPermissions and yolo, and in acceptEdits
 *	         only for reads
 *	allow    rules
 *	mode     bypassPermissions and yolo allow; the others ask for sensitive
 *	         paths: for changes of all, for reads of secrets
 *
 * A path counts as it was given and as it is without links: what fits either
 * is forbidden or asked for. Rules that forbid or ask do not care for case.
 *
 * No choice of roots is a way around a rule. A pattern is held against what
 * follows each root that the file is in: to forbid or ask it must fit one of
 * them, to allow all of them. What the person's own rules forbid is held
 * against every directory above the root as well, from where stet was started
 * (struct rules: base) down: as if a client had declared that one. The rules of
 * a project hold in every root beneath it, and what they forbid or ask for also
 * when no root has the whole project in it (struct rules: enclosing); sensitive
 * paths are judged by the absolute path (sensitive.h).
 *
 * Patterns come from whoever wrote a project: all matching of a call is on one
 * account (struct deed: effort). When that is used up, what forbids or asks
 * fits, and what allows does not.
 *
 * stet's own files are no matter of rules: files/own.h keeps all tools off.
 */
#ifndef STET_RULES_H
#define STET_RULES_H

#include "text/ignore.h"
#include "tools/tool.h"

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
 * Conditions are for changes only: lines_removed>N and bytes>N (of the file
 * afterwards). Where a size is not known yet, it is over the limit.
 *
 * To deny a tool that reads is to hide the file: then no tool may have it.
 */
struct rule {
	enum verdict verdict;
	bool by_lines, by_bytes;
	struct str tool;
	struct str path;         /* "" = any */
	struct ignore_rule glob; /* the same, taken apart */
	struct str home;         /* what "~" stands for */
	struct str real_home;    /* the same without links; "" = the same */
	struct str root;         /* for files beneath it alone; "" = any root */
	uint64_t lines_removed, bytes;
	struct str text;   /* as it was written */
	struct str origin; /* "--deny", "~/.config/stet/config.json:12:3" */
};

/* Fill in the rule from @text; ERR_BAD_ARGS says what is wrong with it. */
must_check enum err rule_parse(struct str text, struct arena *mem,
			       struct rule *ret, struct fault *f);

/* Patterns of the settings: files that are left alone. */
struct ignore_set {
	struct str root; /* for files beneath it alone; "" = any root */
	struct ignore_list list;
};

/* An ignore file of a directory above the roots, as it was read with them. */
struct ignore_above {
	struct str dir; /* without links */
	unsigned name;  /* index of its name in ignore_files */
	struct ignore_list list;
	struct str
		unusable; /* why all beneath is left alone; "" = by the list */
};

struct rules {
	enum mode mode;
	const struct rule *rule; /* those that were found first, first */
	size_t count;
	/*
	 * Directories that the person named, without links: those of the
	 * command line, or where stet was started. What a file's parents above
	 * them are called says nothing; a client's roots do not count.
	 */
	const struct str *base;
	size_t base_count;
	/*
	 * Directories above the roots with the settings of a project. Its rules
	 * have the directory for their root, and only forbid or ask.
	 */
	const struct str *enclosing;
	size_t enclosing_count;
	/* Each is on its own: none takes back what another says. */
	const struct ignore_set *ignore;
	size_t ignore_count;
	/* Names of the ignore files in the project; ends with NULL, or NULL. */
	const char *const *ignore_files;
	const struct ignore_above *ignore_above; /* outermost first */
	size_t ignore_above_count;
	/* The settings' word on encodings; the last one that fits counts. */
	const struct encoding_rule *encodings;
	size_t encoding_count;
	const struct hooks *hooks; /* also of the settings; NULL = not here */
	/* Made when the roots changed, in place of this one; see rules_now(). */
	const struct rules *_Atomic newer;
};

/* What counts now. Every function here takes old ones too. */
const struct rules *rules_now(const struct rules *r);

enum { DEED_NAMES = 4 };

/* A file as seen from a root that it is in. */
struct deed_spot {
	struct str root, part; /* what follows the root */
	bool by_key;           /* of the key, else of the path as given */
	bool folded;           /* spelled as without case: see caseless.h */
	bool above;            /* of no root but above it: root is "" ... */
	bool project;          /* ... or that of a project around the root */
	bool inner;            /* and another such spot has more of the path */
};

enum { RULES_MAX_STEPS = IGNORE_MAX_STEPS }; /* of matching, in one call */

/* What is about to happen. deed_place() fills in the second part. */
struct deed {
	const struct tool *tool;
	bool changes;
	bool known_size;
	uint64_t bytes; /* of the file afterwards */
	size_t lines_removed, lines_added;
	struct str ignored;         /* by what: "" = it is not; see ignored.h */
	struct glob_effort *effort; /* of the call; NULL = no limit for all */

	struct str path, key; /* as given and without links, the short way */
	/* The outermost roots of both; what follows them. "" = unknown */
	struct str root, path_root;
	struct str key_part, part;
	/* All its names: the key, the path, and these as without case. */
	struct str name[DEED_NAMES];
	size_t name_count, plain_count; /* those before are as they are */
	struct deed_spot *spot;         /* for every root that it is in */
	size_t spot_count;
};

/* @roots are without links. */
void deed_place(struct deed *d, struct str path, struct str key,
		const struct str *roots, size_t n, struct arena *mem);

/*
 * And as seen from above the roots, for the rules of the person and those of
 * the projects around the roots; @r may be NULL.
 */
void deed_place_above(struct deed *d, const struct rules *r, struct arena *mem);

/* There are no links on the way, as nearly always. */
static inline bool deed_same_name(const struct deed *d)
{
	return d->key.ptr == d->path.ptr;
}

struct decision {
	enum verdict verdict;
	const struct rule *rule; /* that decided, or NULL */
	const char *reason;      /* a word for programs, from the list below */
	struct str why;          /* the rule, or what stands for it */
	bool hidden;             /* as if the file were not there */
};

/* "config", "plan_mode", "rule", "ignored", "sensitive", "mode" */
void rules_decide(const struct rules *r, const struct deed *d,
		  struct decision *ret);

/*
 * A tool that changes a file also tells of it: lines around the change, where
 * a string nearly is, that it is not there. So the rules for reading count as
 * well, those for any tool that shows content: does one ask before @d tells?
 * A secret is not asked for where a rule lets @d->tool change it.
 */
bool rules_ask_to_tell(const struct rules *r, const struct deed *d,
		       struct decision *ret);

/* Is the file hidden from every tool? d->tool does not count. */
bool rules_denied(const struct rules *r, const struct deed *d);

/* The same, and by which rule. */
bool rules_hidden(const struct rules *r, const struct deed *d,
		  struct decision *ret);

/*
 * Do the settings (not the project's files: see ignored.h) leave it alone?
 * @cause may be NULL.
 */
bool rules_ignored(const struct rules *r, const struct deed *d,
		   struct ignore_cause *cause);

/* The rule's own words and where it comes from, for people. */
struct str rule_says(const struct rule *rule, struct arena *mem);

/* Does the pattern fit @path or a directory above it? Flags as in glob.h. */
bool rule_fits_within(const struct ignore_rule *rule, struct str path,
		      unsigned flags, struct glob_effort *effort);

#endif
