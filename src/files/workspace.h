/*
 * workspace.h - the one door to files.
 *
 * A workspace is somewhere that text files live: the disk beneath some roots
 * (ws_local.h), later an editor, or memory over another one. Paths are
 * absolute; what lies outside is ERR_DENIED with reason "outside_roots".
 * Nobody above this layer opens a file.
 *
 * A path is resolved once, by load, page or look. What they find has a key:
 * its path without links. Whoever judges judges the key of what was loaded,
 * and passes it on to store, append or remove, which follow no link and change
 * what has that key, or nothing (ERR_CHANGED).
 */
#ifndef STET_WORKSPACE_H
#define STET_WORKSPACE_H

#include "base/err.h"
#include "base/hash.h"
#include "files/stamp.h"
#include "text/encoding.h"

struct workspace;

/* Work that somebody may want to stop, or to see moving. */
struct errand {
	bool (*stop)(void *ctx); /* asked now and then; true = give up */
	void (*moved)(void *ctx, uint64_t done, uint64_t total);
	void *ctx;
	uint64_t patience; /* ERR_LATER when more bytes than this; 0 = any */
};

/* A whole file at one instant. */
struct snapshot {
	struct str bytes;
	struct hash version; /* of the bytes */
	struct str key;      /* the path with all links resolved */
	struct stamp stamp;  /* all 0 where there is none */
	const char *source;  /* who served it; NULL = the workspace's own */
	unsigned mode;       /* 07777; 0 = unknown */
};

/* What is at a path, without reading it. */
struct look {
	bool exists;
	bool is_file;   /* a regular one */
	struct str key; /* resolved, also where nothing is yet */
	struct stamp stamp;
	unsigned mode;
};

/* Some lines of a file, as text. */
struct page {
	struct str text;     /* UTF-8, each line with its own ending */
	size_t total_lines;  /* of the file */
	size_t lines;        /* in text */
	struct hash version; /* of the whole file */
	struct str key;
	struct stamp stamp;
	struct detected in;
	size_t undecodable; /* bytes of the file that are shown as \xNN */
	bool cut;           /* stopped at max_cost, before limit lines */
	bool ascii;         /* all of the file, as far as is known */
	struct str whole;   /* all bytes of the file, where they were read */
	const char *source; /* as in struct snapshot */
};

struct page_want {
	size_t line;  /* the first, from 1 */
	size_t limit; /* SIZE_MAX = all */
	/*
	 * Stop before the line with which cost() of the text taken would
	 * pass max_cost. When the first line alone does, ERR_LINE_TOO_LONG.
	 * A line costs at least its bytes, so that one of a gigabyte need
	 * not be read to know; no cost() = exactly its bytes.
	 */
	uint64_t max_cost;
	uint64_t (*cost)(void *ctx, struct str text); /* additive over lines */
	unsigned worst; /* the most that a byte costs; 0 = ask cost() */
	void *ctx;
	const struct encoding *named; /* by configuration, or NULL */
};

/* What a store expects to find. */
enum store_base {
	STORE_ANY,     /* whatever is there, or nothing */
	STORE_ABSENT,  /* no file */
	STORE_VERSION, /* a file with exactly that content */
};

struct store_want {
	/* Where it is, as load or look said; "" = wherever the path leads. */
	struct str key;
	enum store_base base;
	struct hash version; /* with STORE_VERSION */
	struct str bytes;
	const struct errand *errand; /* may stop the wait for others, or NULL */
	bool parents;                /* make the directories that are missing */
	uint64_t made_ms; /* of a removal: directories above it that were made
			   * since then go with it if they are empty; 0 = none */
	bool set_mode;    /* give it @mode, not the one it has */
	unsigned mode;    /* 07777, within what we may */
	/*
	 * Called once the new content is safe beside the file (or in the
	 * journal) and just before the file changes. Unless it says ERR_OK
	 * nothing changes and the store fails with what it says.
	 */
	enum err (*ready)(void *ctx, struct fault *);
	void *ctx;
};

struct stored {
	struct hash version;
	struct str key;
	bool created;
	bool in_place;      /* links, owner or directory demand it */
	bool rewritten;     /* it is not as was wanted: load it to see how */
	struct str kept;    /* "owner,acl": what it had beyond the ordinary */
	struct str lost;    /* and what of that could not be kept; mostly "" */
	const char *source; /* as in struct snapshot */
};

/* At the end of a file, as one write; it is made if it is not there. */
struct append_want {
	struct str key; /* as in store_want */
	struct str bytes;
	bool parents;   /* as above */
	bool own_line;  /* a last line without an end gets one first */
	bool no_follow; /* refuse a symbolic link in its place: ERR_DENIED */
	unsigned mode;  /* of a new file, before the umask; 0 = 0666 */
	const struct errand *errand;
	/* As in store_want; @at is where the bytes will go. */
	enum err (*ready)(void *ctx, uint64_t at, struct fault *);
	void *ctx;
};

struct appended {
	struct str key;
	uint64_t at;      /* where they are now */
	uint64_t written; /* with the newline that was put before them */
	bool created;
	bool completed; /* a torn last line was given its end */
	struct stamp stamp;
};

/* A root: its path without links, and which directory that is. */
struct root_id {
	struct str path;
	uint64_t dev, ino;
};

/* Which of some names may be in a directory: bit 0 for the first of them. */
struct present {
	unsigned names; /* one without its bit is not there */
	bool at_root;   /* nothing above it is to be seen */
};

/* Files beside a path, in no order: some of them, if there are very many. */
struct names {
	struct str dir; /* without links */
	const struct str *name;
	size_t count;
};

enum ws_entry_kind {
	WS_ENTRY_DIRECTORY, /* listed before all others */
	WS_ENTRY_FILE,
	WS_ENTRY_LINK,  /* not followed */
	WS_ENTRY_OTHER, /* a FIFO, a socket or a device */
};

struct ws_entry {
	struct str name; /* any bytes but "/" and NUL */
	enum ws_entry_kind kind;
	uint64_t size;
	int64_t mtime; /* nanoseconds */
	bool own;      /* one of stet's own files, see own.h */
};

/* A part of a directory, in order: directories first, then by bytes. */
struct ws_entries {
	struct str key; /* of the directory */
	const struct ws_entry *entry;
	size_t count;
	size_t total; /* in the directory, as far as it was read */
	bool unread; /* it has more than WS_ENTRIES_MOST: the rest is not listed */
};

enum { WS_ENTRIES_MOST = 200000 };

struct workspace_ops {
	/*
	 * ERR_NOT_FOUND, ERR_NOT_A_FILE, ERR_TOO_LARGE past @max bytes ...
	 * When it fails, ret->key is that of what was found, or "": what is
	 * said of a file has to be judged by it as well. The same for page.
	 */
	enum err (*load)(struct workspace *, struct str path, uint64_t max,
			 const struct errand *, struct arena *,
			 struct snapshot *ret, struct fault *);
	/*
	 * ERR_CHANGED when it is not at the base, or what has its key is
	 * another place by now; then nothing was written.
	 */
	enum err (*store)(struct workspace *, struct str path,
			  const struct store_want *, struct arena *,
			  struct stored *ret, struct fault *);
	/* NULL where it cannot: then it is made of load. */
	enum err (*page)(struct workspace *, struct str path,
			 const struct page_want *, const struct errand *,
			 struct arena *, struct page *ret, struct fault *);
	/* Nothing there is no failure; outside the roots is. */
	enum err (*look)(struct workspace *, struct str path, struct arena *,
			 struct look *ret, struct fault *);
	enum err (*append)(struct workspace *, struct str path,
			   const struct append_want *, struct arena *,
			   struct appended *ret, struct fault *);
	/* ERR_CHANGED unless it has exactly that content. */
	enum err (*remove)(struct workspace *, struct str path,
			   struct hash version, const struct store_want *,
			   struct arena *, struct fault *);
	/* NULL where it cannot tell: then all of them may be there. */
	struct present (*present)(struct workspace *, struct str dir,
				  const char *const *names, struct arena *);
	/* NULL where it cannot tell: then there are none. */
	struct names (*names)(struct workspace *, struct str path,
			      struct arena *);
	/*
	 * At most @limit entries of the directory at @path behind the first
	 * @skip. ERR_NOT_FOUND, or ERR_NOT_A_FILE for what is no directory.
	 * NULL where directories cannot be listed.
	 */
	enum err (*entries)(struct workspace *, struct str path, size_t skip,
			    size_t limit, struct arena *,
			    struct ws_entries *ret, struct fault *);
	/* False where there is none. */
	bool (*root_of)(struct workspace *, struct str key, struct arena *,
			struct root_id *ret);
	/* The directories it is made of, without links; NULL where none. */
	const struct str *(*roots)(struct workspace *, struct arena *,
				   size_t *ret_n);
};

struct workspace {
	const struct workspace_ops *ops;
	const char *source; /* "disk", "editor": of what does not say else */
};

must_check enum err ws_load(struct workspace *ws, struct str path, uint64_t max,
			    const struct errand *errand, struct arena *mem,
			    struct snapshot *ret, struct fault *f);
must_check enum err ws_store(struct workspace *ws, struct str path,
			     const struct store_want *want, struct arena *mem,
			     struct stored *ret, struct fault *f);
must_check enum err ws_look(struct workspace *ws, struct str path,
			    struct arena *mem, struct look *ret,
			    struct fault *f);
must_check enum err ws_append(struct workspace *ws, struct str path,
			      const struct append_want *want, struct arena *mem,
			      struct appended *ret, struct fault *f);
/* Of @want only key, errand, ready and ctx count; it may be NULL. */
must_check enum err ws_remove(struct workspace *ws, struct str path,
			      struct hash version,
			      const struct store_want *want, struct arena *mem,
			      struct fault *f);
/*
 * @names end with NULL and are 32 at most. Roots are taken as the last look at
 * a file has found them: to be asked behind one.
 */
struct present ws_present(struct workspace *ws, struct str dir,
			  const char *const *names, struct arena *mem);
/* Those in the directory that @path would be in; none, if it is not there. */
struct names ws_names(struct workspace *ws, struct str path, struct arena *mem);
must_check enum err ws_entries(struct workspace *ws, struct str path,
			       size_t skip, size_t limit, struct arena *mem,
			       struct ws_entries *ret, struct fault *f);
const struct str *ws_roots(struct workspace *ws, struct arena *mem,
			   size_t *ret_n);
/* The root that @key is in, as the last look at a file has found it. */
must_check bool ws_root_of(struct workspace *ws, struct str key,
			   struct arena *mem, struct root_id *ret);
must_check enum err ws_page(struct workspace *ws, struct str path,
			    const struct page_want *want,
			    const struct errand *errand, struct arena *mem,
			    struct page *ret, struct fault *f);

#endif
