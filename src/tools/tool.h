/*
 * tool.h - one tool, one row.
 *
 * A struct tool is all there is to know of a tool: from its row come the
 * tools/list entry, the decoding of arguments, the flags of `stet call`, its
 * page in docs/tools.md, its annotations. Adding one is a file and a line in
 * all.def.
 *
 * A handler is a straight line: load, work on bytes, store, say. It opens
 * nothing, locks nothing, knows no transport, and may be run twice: when
 * something below answers ERR_LATER it returns that, and is called again from
 * the start on a thread that may take its time.
 */
#ifndef STET_TOOL_H
#define STET_TOOL_H

#include "base/digest.h"
#include "base/json.h"
#include "files/workspace.h"
#include "store/approvals.h"
#include "text/glob.h"

struct call;
struct hooks;
struct readstate;
struct rules;
struct store;
struct watch;

enum field_type {
	FIELD_STR,    /* struct str */
	FIELD_PATH,   /* struct str, checked to be absolute */
	FIELD_INT,    /* int64_t */
	FIELD_BOOL,   /* bool */
	FIELD_LIST,   /* struct list of objects made of .fields */
	FIELD_TEXTS,  /* struct list of struct str */
	FIELD_INTS,   /* struct list of int64_t */
	FIELD_OBJECT, /* a struct made of .fields, in place */
};

/* An argument, or a member of a result: where it is and what it is. */
struct field {
	const char *name;
	enum field_type type;
	bool required; /* as an argument; in a result: always there */
	bool brief;    /* its members are in the manual, not in the schema */
	size_t offset; /* in the struct of arguments or results */
	const char *doc;
	const char *standard;       /* the default, as JSON */
	const char *format;         /* "date-time" */
	const char *pattern;        /* FIELD_STR: "^[a-z]+$", nothing else */
	const char *const *choices; /* FIELD_STR: one of these; NULL ends it */
	size_t max_length;          /* FIELD_STR: in code points; 0 = any */
	int64_t absent;             /* FIELD_INT: what it is when left out */
	int64_t min;                /* FIELD_INT, when below is set */
	enum err below;             /* what a smaller number is */
	enum err empty;             /* FIELD_LIST: what an empty one is */
	const struct field *fields; /* FIELD_LIST, FIELD_OBJECT */
	size_t size;                /* of one item of a list */
};

#define FIELDS_END \
	{          \
		0  \
	}

struct list {
	void *items;
	size_t count;
};

enum effects {
	TOOL_PURE,    /* touches nothing */
	TOOL_READS,   /* reads files */
	TOOL_WRITES,  /* changes what a file holds, replacing all of it */
	TOOL_EDITS,   /* changes parts of a file */
	TOOL_APPENDS, /* adds to a file; what is there stays */
};

static inline bool effects_change(enum effects e)
{
	return e == TOOL_WRITES || e == TOOL_EDITS || e == TOOL_APPENDS;
}

struct tool_example {
	const char *about, *arguments, *result;
};

struct tool {
	const char *name;
	const char *title;  /* for people */
	const char *doc;    /* the description, as the contract words it */
	const char *family; /* for --tools */
	const char *kind;   /* of its ACP event */
	const struct field *fields, *out;
	size_t args_size, out_size;
	enum effects effects;
	bool asks; /* the person must approve each call */
	enum err (*run)(struct call *c);
	const char *category; /* as the contract has it; NULL = none */
	bool speaks; /* the text of a result is c->say, not its object (A68) */
	bool coded;  /* fails with errorCodes, too (A07) */
	bool soft;   /* all its failures are results (A74) */
	bool once;   /* a change under its hands ends it: no second try */
	bool light;  /* it makes one change, at its end: see dispatch.h */
	const char *const *constraints;      /* ends with NULL */
	const struct tool_example *examples; /* ends with { NULL } */
};

/* How results are put: see A68 in docs/requirements.md. */
enum results {
	RESULTS_BOTH,  /* structuredContent, and the same as JSON in the text */
	RESULTS_PLAIN, /* structuredContent, and beside it text for a model */
	RESULTS_TEXT,  /* the text for a model alone */
	RESULTS_STRUCTURED,
};

/* --encoding GLOB=NAME */
struct encoding_rule {
	struct str glob;
	const struct encoding *encoding;
	bool own; /* the person's word, not that of a project */
};

struct tool_options {
	enum results results;
	uint64_t max_file;  /* what is loaded whole, in bytes */
	uint64_t max_reply; /* one message, in bytes */
	bool write_exact;   /* --write-eol=exact */
	bool overwrite;     /* --overwrite=always: A69 is off */
	bool stale_mtime;   /* --stale-check=mtime: A42 to the letter */
	bool new_crlf;      /* --default-eol=crlf: of new files (A50) */
	size_t snippet;     /* lines of an edited file that are shown; 0 = 50 */
	struct store *store;       /* history and approvals; NULL = off */
	bool store_must;           /* --history=required: no change without */
	const struct rules *rules; /* NULL = nothing is forbidden or asked */
	const struct hooks *hooks; /* NULL = none */
	struct watch *watch;       /* local events; NULL = nobody looks */
	const struct encoding_rule *encodings;
	size_t encoding_count;
	const char *memory_dir;      /* NULL = .claude/memory */
	bool refuse_secrets;         /* in entries of the memory */
	const char *const *approved; /* tools that need not be asked for */
	size_t approved_count;
};

/* What every tool that changes files takes beside its own arguments. */
struct call_guard {
	struct str if_version;
};

/* Who calls, and what is remembered of them. */
struct caller {
	struct str client;  /* what it says of itself: "codex 0.166.0" */
	struct str session; /* one connection or one process, unguessable */
	struct str scope;   /* whose approvals: outlives the session */
	struct str name; /* whose grants: its token's, or its declared name */
	bool declared;   /* @name is only what the client calls itself */
	struct readstate *reads; /* what it has read; NULL = not kept */
};

/* How long a text is. */
struct extent {
	size_t lines, bytes;
};

/* What a person is to be asked, when a handler answers ERR_ASK. */
struct question {
	struct str path;     /* resolved */
	struct str summary;  /* one line: what would happen */
	struct str does;     /* more of that, one sentence each line */
	struct str badges;   /* encoding and line endings; one each line */
	struct str diff;     /* what would change, or the exact content */
	struct extent whole; /* of which @diff may be the beginning only */
	struct str texts[APPROVAL_TEXTS]; /* what does not fit into @diff */
	enum approval_kept kept;
	size_t added, removed; /* lines */
	struct str reason;     /* the rule that asks */
	struct str digest;     /* hex: caller, tool and arguments */
	struct str binding;    /* hex: all that the call would do, and where */
	struct str root;       /* the root that @path lies in; "" = none */
	size_t parts;          /* hunks to choose from; 0 = all or nothing */
};

/*
 * A file that a call has loaded although a rule asks before it is read: as
 * long as @why is there, nothing that depends on its content may be told.
 */
struct unread {
	struct str path, key;
	struct str why; /* the rule; "" = reading is free, or was allowed */
};

/* A file as the handler has seen it, to say what changed since. */
struct seen {
	struct str path, bytes;
	struct str key; /* of the file that was judged; "" = there was none */
};

/* What a call has done to a file, for events. */
struct effect {
	struct str key; /* "" = nothing, or nothing that is known here */
	struct str before, after;
	struct display display; /* for a person */
	bool existed, removed;
};

/* One call on its way through. */
struct call {
	const struct tool *tool;
	const struct tool_options *options;
	struct workspace *ws;
	struct errand errand;
	struct arena *mem;
	struct fault *fault;
	struct call_guard guard;
	const struct caller *caller; /* never NULL */
	struct str id;               /* of the call: links its operations */
	struct json arguments;       /* as they were given */
	struct preview *preview;     /* of undo: only find out; or NULL */
	bool granted;                /* the person was asked, and said yes */
	struct digest shown;         /* to this: question_digest() */
	struct uuid approval;        /* by this answer in the queue, if any */
	struct str hunks;            /* of it only "1,3"; "" = all of it */
	struct question question;    /* with ERR_ASK */
	struct unread unread;        /* see gate_reveal() */
	struct glob_effort matching; /* what all its rules may take (rules.h) */
	bool hooked; /* a hook has run, and is not to be run again */
	struct seen seen;
	bool raced;         /* the store found other bytes than were loaded */
	void *args, *out;   /* structs of the tool's own */
	struct str say;     /* what a model is told with --results=text */
	struct str say_end; /* the end of that, if it is not in it; "" */
	struct str also;    /* and in any case, in a text of its own; "" */
	struct str note;    /* about a settings file that did not count; "" */
	bool fits;          /* all of that was measured: a reply can carry it */
	struct str diff;    /* what changed, for events */
	struct effect effect;
	size_t line; /* where, for events; 0 = unknown */
};

/* All tools in their stable order. */
extern const struct tool *const all_tools[];
extern const size_t all_tools_count;

/* The tool of that name, or NULL. */
const struct tool *tool_named(struct str name);

#endif
