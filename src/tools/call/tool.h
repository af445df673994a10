/*
 * tool.h - one tool, one row.
 *
 * A struct tool describes a tool completely: its row is the source of the
 * tools/list entry, the decoding of arguments, the flags of `stet call`, its
 * page in docs/tools.md and its annotations. A new tool is one file and one
 * line in all.def.
 *
 * A handler is a straight line: load, work on bytes, store, describe. It opens
 * nothing, locks nothing, knows no transport, and may be run several times from
 * the start: on a worker after ERR_LATER (a function below would block the event
 * loop), after the person's answer (ERR_ASK), and after a lost race with another
 * writer (dispatch.c).
 */
#ifndef STET_TOOL_H
#define STET_TOOL_H

#include "base/digest.h"
#include "base/json.h"
#include "files/workspace.h"
#include "store/approvals.h"
#include "text/pattern/glob.h"

struct call;
struct hooks;
struct readstate;
struct rules;
struct store;
struct event_log;

enum field_type {
	FIELD_STR,    /* struct str */
	FIELD_PATH,   /* struct str, checked to be absolute */
	FIELD_INT,    /* int64_t */
	FIELD_BOOL,   /* bool */
	FIELD_LIST,   /* struct item_list of objects made of .fields */
	FIELD_TEXTS,  /* struct item_list of struct str */
	FIELD_INTS,   /* struct item_list of int64_t */
	FIELD_OBJECT, /* a struct made of .fields, in place */
};

/* An argument, or a member of a result: its place in a struct and its schema. */
struct field {
	const char *name;
	enum field_type type;
	bool required; /* of an argument; of a result: never left out */
	bool brief;    /* members are described in the manual only */
	bool unlisted; /* an argument that is accepted, but not in the schema */
	bool pairs;    /* FIELD_TEXTS: an object, as name, value, name, value */
	size_t offset; /* in the struct of arguments or results */
	const char *doc;
	const char *const *aliases; /* accepted, not listed; ends with NULL */
	const char *standard;       /* default value, as JSON */
	const char *format;         /* "date-time" */
	const char *pattern;        /* FIELD_STR: "^[SET]+$", no other form */
	const char *const
		*choices;  /* FIELD_STR: allowed values; ends with NULL */
	size_t max_length; /* FIELD_STR: code points; 0 = no limit */
	int64_t absent;    /* FIELD_INT, FIELD_BOOL: value when left out */
	int64_t min;       /* FIELD_INT: smallest value, if below is set */
	enum err below;    /* error for a smaller number */
	enum err empty; /* FIELD_LIST, FIELD_TEXTS: error for an empty list */
	const struct field *fields; /* FIELD_LIST, FIELD_OBJECT */
	size_t size;                /* FIELD_LIST: bytes of one item */
};

#define FIELDS_END \
	{          \
		0  \
	}

struct item_list {
	void *items;
	size_t count;
};

enum effects {
	TOOL_PURE,    /* touches nothing */
	TOOL_READS,   /* reads files */
	TOOL_WRITES,  /* replaces the whole content of a file */
	TOOL_EDITS,   /* changes parts of a file */
	TOOL_APPENDS, /* only adds at the end of a file */
	TOOL_TREE,    /* changes the tree: directories, names */
};

static inline bool effects_change(enum effects e)
{
	return e == TOOL_WRITES || e == TOOL_EDITS || e == TOOL_APPENDS ||
	       e == TOOL_TREE;
}

struct tool_example {
	const char *about, *arguments, *result;
};

enum { TOOL_FAMILIES = 4 };

struct tool {
	const char *name;
	const char *title; /* display name */
	const char *doc;   /* description in tools/list, as in the contract */
	/* its row of the reference server's contract; NULL = none, see selection.h */
	const struct tool *reference;
	/* groups of tools that --tools and rules can name; ends with NULL */
	const char *families[TOOL_FAMILIES];
	const char *kind; /* kind of its events in an ACP client */
	const struct field *fields;
	const struct field *out; /* NULL = no structured result */
	size_t args_size, out_size;
	enum effects effects;
	bool asks;          /* every call needs an approval */
	bool idempotent;    /* TOOL_TREE: a second call changes nothing */
	bool loses_nothing; /* TOOL_TREE: it replaces and removes nothing */
	enum err (*run)(struct call *c);
	const char *category; /* of the contract; NULL = none */
	bool text_result; /* content is c->say, not the object as JSON (A68) */
	bool error_codes; /* its errors may have an errorCode (A07) */
	bool fails_as_result; /* every failure is an isError result (A74) */
	bool no_retry; /* ERR_CHANGED is final: the call is not run again */
	bool casts_strings; /* "2" is taken as a number, "true" as a boolean */
	bool searches;      /* may take seconds: it has threads of its own */
	bool light; /* one change at the end: may run on the loop (dispatch.h) */
	const char *const *constraints;      /* ends with NULL */
	const struct tool_example *examples; /* ends with { NULL } */
};

/* Form of results, --results: see A68 in docs/requirements.md. */
enum results {
	RESULTS_BOTH,  /* structuredContent, and the same JSON as text */
	RESULTS_PLAIN, /* structuredContent, and text written for a model */
	RESULTS_TEXT,  /* text written for a model, nothing else */
	RESULTS_STRUCTURED,
};

/* --encoding GLOB=NAME */
struct encoding_rule {
	struct str glob;
	const struct encoding *encoding;
	bool own; /* set by the person, not by a project */
};

/* Where relative paths begin, and limits of a search: tools/find/find.h. */
struct find_options {
	struct str start;    /* directory stet was started in; "" = unknown */
	uint64_t timeout_ms; /* of one call; 0 = 20,000 */
	size_t chars;        /* of one text; 0 = 20,000 */
	unsigned threads;    /* of one search; 0 = number of cores, at most 8 */
	bool ignored; /* --find-ignored: obey only .stetignore and its kin */
};

struct tool_options {
	struct find_options find;
	enum results results;
	uint64_t max_file;   /* largest file that is loaded whole, in bytes */
	uint64_t max_reply;  /* largest message, in bytes */
	bool write_exact;    /* --write-eol=exact */
	bool overwrite;      /* --overwrite=always: no check of A69 */
	bool stale_mtime;    /* --stale-check=mtime: compare times (A42) */
	bool new_crlf;       /* --default-eol=crlf, for new files (A50) */
	size_t snippet;      /* lines in the snippet of an edit; 0 = 50 */
	struct store *store; /* history and approvals; NULL = off */
	bool store_must;     /* --history=required: refuse unrecorded changes */
	const struct rules *rules;   /* NULL = everything is allowed */
	const struct hooks *hooks;   /* NULL = none */
	struct event_log *event_log; /* NULL = off */
	const struct encoding_rule *encodings;
	size_t encoding_count;
	const char *memory_dir;      /* NULL = .claude/memory */
	bool refuse_secrets;         /* in entries of the memory */
	const char *const *approved; /* --approve: tools that never ask */
	size_t approved_count;
};

/* Arguments that every tool takes that changes files. */
struct call_guard {
	struct str if_version;
};

/* The client that calls, and its read state. */
struct caller {
	struct str client;  /* its clientInfo: "codex 0.166.0" */
	struct str session; /* random id of one connection or process */
	struct str
		scope;   /* identifies it for approvals; outlives the session */
	struct str name; /* as grants name it: token, or declared name */
	bool declared;   /* @name is not verified by a token */
	struct readstate *reads; /* files it has read; NULL = not recorded */
};

/* Size of a text. */
struct extent {
	size_t lines, bytes;
};

/* The approval that a call needs, with ERR_ASK. */
struct question {
	struct str path;     /* without symlinks */
	struct str summary;  /* the effect of the call in one line */
	struct str does;     /* details, one sentence per line */
	struct str badges;   /* encoding and line endings, one per line */
	struct str diff;     /* the diff, or the exact new content */
	struct extent whole; /* size of the diff, also when @diff is cut */
	struct str texts[APPROVAL_TEXTS]; /* what did not fit into @diff */
	enum approval_kept kept;
	size_t added, removed; /* lines */
	struct str reason;     /* the rule that asks */
	struct str digest;     /* hex: caller, tool and arguments */
	struct str binding;    /* hex: the effect of the call, see gate.h */
	struct str root;       /* the root that @path lies in; "" = none */
	size_t parts;          /* selectable hunks; 0 = all or nothing */
	const struct approval_file *files; /* of several; @path is the first */
	size_t file_count;                 /* 0 = one file */
};

/*
 * A file that a call has loaded although a rule asks before it is read. While
 * @why is set, no result or error that depends on its content may leave.
 */
struct unread {
	struct str path, key;
	struct str why;              /* the rule; "" = reading is allowed */
	const struct unread *before; /* another such file of the call */
};

/* The file that a handler has loaded, to report concurrent changes. */
struct seen_file {
	struct str path, bytes;
	struct str key; /* of the file that was checked; "" = none existed */
};

/* The change of one file that a call has made, for events. */
struct effect {
	struct str key;
	struct str from; /* the file that it was; "" */
	struct str before, after;
	struct display display; /* for a person */
	bool existed, removed;
	bool name_only; /* a name was changed: there is no content to show */
	bool moved;     /* with @removed: to the file of another effect */
};

/*
 * One tool call, from its arguments to its result. Belongs to one thread at a
 * time; a handler touches nothing else that is shared.
 */
struct call {
	const struct tool *tool;
	const struct tool_options *options;
	struct workspace *ws;
	struct progress progress;
	struct arena *mem;
	struct fault *fault;
	struct call_guard guard;
	const struct caller *caller;  /* never NULL */
	struct str id;                /* of the call; its operations carry it */
	struct json arguments;        /* before decoding */
	struct undo_preview *preview; /* dry run of undo; or NULL */
	bool granted;                 /* the question was approved */
	struct digest shown;  /* question_digest() of the approved question */
	struct uuid approval; /* the row of the queue that approved it, or 0 */
	struct uuid grant;    /* grant that covers the call, if any */
	struct str hunks;     /* approved hunks, "1,3"; "" = all */
	struct question question;    /* set with ERR_ASK */
	struct unread unread;        /* see gate_reveal() */
	struct glob_budget matching; /* budget for matching rules (rules.h) */
	struct seen_file seen;
	bool lost_race;     /* the file changed between load and store */
	bool hook_ran;      /* a hook has run, so the call is not retried */
	bool fits;          /* the result was measured and fits a reply */
	bool group;         /* it changes several files, all or nothing */
	void *args, *out;   /* structs of the tool */
	struct str say;     /* result as text for a model */
	struct str items;   /* content items as JSON instead of @say; "" */
	struct str say_end; /* appended to @say; separate, to avoid a copy */
	struct str also;    /* second text item, with every --results; "" */
	struct str note;    /* text item about an unusable settings file; "" */
	struct str diff;    /* of the change, for events */
	size_t files;       /* that it changes or would change; 0 = unknown */
	const struct effect *effects; /* changes made; none if not known */
	size_t effect_count;
	size_t line; /* first changed line, for events; 0 = unknown */
};

/* All tools in their stable order. */
extern const struct tool *const all_tools[];
extern const size_t all_tools_count;

static inline bool tool_in_family(const struct tool *t, struct str family)
{
	for (size_t i = 0; i < TOOL_FAMILIES && t->families[i]; i++)
		if (str_is(family, t->families[i]))
			return true;
	return false;
}

/* The tool of that name, or NULL. */
const struct tool *tool_named(struct str name);

#endif
