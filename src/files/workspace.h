/*
 * workspace.h - the only interface to files for the layers above.
 *
 * A workspace is a place where text files live: the disk within some roots
 * (ws_local.h), or an open editor with the disk behind it (acp/ws_acp.h). Tests
 * have one in memory. Paths are absolute; a path outside the roots is
 * ERR_DENIED with reason "outside_roots". No layer above opens a file itself.
 *
 * A path is resolved once, by load, page or stat, to its key: the absolute path
 * without symlinks. Permissions are decided on the key, and the same key is
 * passed to store, append or remove, which follow no symlink: they change the
 * file with that key or fail with ERR_CHANGED.
 *
 * All operations may be called from several threads. Results are allocated in
 * the given arena. The fault may be NULL, except for ws_entries().
 */
#ifndef STET_WORKSPACE_H
#define STET_WORKSPACE_H

#include "base/err.h"
#include "base/hash.h"
#include "files/stat_data.h"
#include "text/encoding/encoding.h"

#include <stdatomic.h>

struct workspace;
struct group_want;
struct tree_place;

/*
 * Cancellation and progress reports of a long operation. A NULL struct, or a
 * NULL callback, means that the operation cannot be cancelled or watched.
 */
struct progress {
	bool (*stop)(void *ctx); /* polled; true = fail with ERR_CANCELLED */
	/* bytes, or files of a search; @total 0 = unknown */
	void (*report)(void *ctx, uint64_t done, uint64_t total);
	void *ctx;
	/*
	 * Most bytes to process before failing with ERR_LATER. A caller that
	 * sets it runs on the event loop: the operation must not block either.
	 * 0 = no limit, and it may block.
	 */
	uint64_t byte_limit;
};

/* The content of a file at one moment. */
struct snapshot {
	struct str bytes;
	struct hash version;   /* of the bytes */
	struct str key;        /* the path without symlinks */
	struct stat_data stat; /* all 0 if it is not on disk */
	const char *source;    /* origin; NULL = workspace.source */
	unsigned mode;         /* 07777; 0 = unknown */
};

/* The result of ws_stat(). */
struct file_info {
	bool exists;
	bool is_file;   /* a regular file */
	struct str key; /* also set when nothing exists there */
	struct stat_data stat;
	unsigned mode;
};

enum ws_entry_kind {
	WS_ENTRY_DIRECTORY, /* sorted before all others */
	WS_ENTRY_FILE,
	WS_ENTRY_LINK,  /* not followed */
	WS_ENTRY_OTHER, /* a FIFO, a socket or a device */
};

/* The result of ws_lstat(): a name for itself, a symlink is not followed. */
struct node_info {
	bool exists;
	bool has_parent; /* the directory that holds the name, or would */
	bool is_root;    /* it is a root, or a directory that holds one */
	enum ws_entry_kind kind;
	struct str key; /* of the directory, and the name */
	struct stat_data stat;
	unsigned mode;
	struct str target; /* of a symlink, as it is */
};

/* A file, symlink or directory gets another name. */
struct move_want {
	struct str from, to; /* keys, of ws_lstat() */
	struct str from_path,
		to_path;   /* as the client named them, for faults */
	uint64_t dev, ino; /* of what is to be moved */
	const struct progress *progress;
	/* As in store_want: right before the change. */
	enum err (*ready)(void *ctx, struct fault *);
	void *ctx;
	bool dry_run; /* as in store_want */
};

/* A directory is made, with the missing ones above it. */
struct make_dir_want {
	struct str key; /* of ws_stat() */
	/* As in store_want; not called when the directory exists. */
	enum err (*ready)(void *ctx, struct fault *);
	void *ctx;
	bool dry_run; /* as in store_want */
};

/* An empty directory or a symlink is removed, or a symlink made. */
struct name_want {
	struct str key;    /* of ws_lstat() */
	uint64_t dev, ino; /* of what is removed */
	struct str target; /* of a symlink that is made */
	const struct progress *progress;
	/* As in store_want: right before the change. */
	enum err (*ready)(void *ctx, struct fault *);
	void *ctx;
	bool dry_run; /* as in store_want */
};

/* The directories that were made, from the top down. */
struct made_dirs {
	const struct str *key;
	size_t n;
};

/* The result of ws_details(): what stat(1) shows. Times are in nanoseconds. */
struct file_details {
	struct str key;
	enum ws_entry_kind kind; /* symlinks were followed */
	uint64_t size;
	int64_t created; /* 0 = the filesystem does not know */
	int64_t modified, accessed;
	unsigned mode; /* 07777 */
};

/* Some lines of a file, as text. */
struct page {
	struct str text;     /* UTF-8, each line with its own ending */
	size_t total_lines;  /* in the file */
	size_t lines;        /* in text */
	struct hash version; /* of the whole file */
	struct str key;
	struct stat_data stat;
	struct detected in;
	size_t undecodable; /* bytes of the file that are shown as \xNN */
	bool cut;           /* shortened by max_cost */
	bool ascii;         /* the file is known to be ASCII only */
	size_t first;       /* number of the first line of @text; 0 = unknown */
	bool no_totals;   /* version, total_lines and undecodable are unknown */
	struct str whole; /* the bytes of the file, if it was read whole */
	const char *source; /* as in struct snapshot */
};

struct page_want {
	size_t line;  /* number of the first line, from 1 */
	size_t limit; /* number of lines; SIZE_MAX = all */
	size_t tail;  /* the last lines instead; 0 = from @line on */
	/*
	 * The text is enough: the beginning or end of a large file may be read
	 * without a pass over all of it (struct page: no_totals).
	 */
	bool no_totals;
	/*
	 * Stop before the line with which the cost of the text would exceed
	 * max_cost; ERR_LINE_TOO_LONG when the first line alone does. A line
	 * must cost at least its bytes, so that a line of a gigabyte need not
	 * be read to know. Without cost() it costs exactly its bytes.
	 */
	uint64_t max_cost;
	uint64_t (*cost)(void *ctx, struct str text); /* additive over lines */
	unsigned worst; /* maximum cost of a byte; 0 = unknown */
	void *ctx;
	const struct encoding *named; /* the configured encoding, or NULL */
};

/* The precondition of a store. */
enum store_base {
	STORE_ANY,     /* none */
	STORE_ABSENT,  /* the file does not exist */
	STORE_VERSION, /* the file has exactly that content */
};

struct store_want {
	/* From load or stat; "" = resolve the path. */
	struct str key;
	enum store_base base;
	struct hash version; /* with STORE_VERSION */
	struct str bytes;
	const struct hash *hash;         /* of @bytes; NULL = compute it */
	const struct progress *progress; /* may be NULL */
	bool parents;                    /* create missing directories */
	/*
	 * For a removal: also remove the directories above that were created
	 * since then (Unix time in ms) and are empty now; 0 = none.
	 */
	uint64_t made_ms;
	bool set_mode; /* set @mode instead of keeping the current one */
	unsigned mode; /* 07777; as far as permitted */
	/*
	 * Called once, when the new content is in a temporary file (or in the
	 * journal) and just before the file changes. Anything but ERR_OK is
	 * the result of the store, and nothing changes.
	 */
	enum err (*ready)(void *ctx, struct fault *);
	void *ctx;
	/*
	 * Find out whether it could be stored, and make no file for that:
	 * everything is checked that can be checked without writing. @ready is
	 * then called where the file would change, and has to refuse.
	 */
	bool dry_run;
};

struct stored {
	struct hash version;
	struct str key;
	bool created;
	bool in_place; /* overwritten, because of hard links, owner or directory */
	bool rewritten;  /* an editor changed it on saving: load it again */
	struct str kept; /* special metadata that was kept, as in "owner,acl" */
	struct str lost; /* metadata that could not be kept, mostly "" */
	const char *source; /* as in struct snapshot */
};

/* Append with one write; a missing file is created. */
struct append_want {
	struct str key; /* as in store_want */
	struct str bytes;
	bool parents; /* as in store_want */
	/*
	 * A last line that does not end in @newline is terminated with @eol
	 * first, both in the encoding of the file; "" = it is not.
	 */
	struct str newline, eol;
	const struct hash *version; /* ERR_CHANGED for another; NULL = any */
	bool no_follow;             /* ERR_DENIED if the file is a symlink */
	unsigned mode; /* of a new file, before the umask; 0 = 0666 */
	const struct progress *progress;
	/* As in store_want; @bytes is all that is written, at offset @at. */
	enum err (*ready)(void *ctx, uint64_t at, struct str bytes,
			  struct fault *);
	void *ctx;
	bool dry_run; /* as in store_want */
};

struct appended {
	struct str key;
	uint64_t at;      /* offset of the new bytes */
	uint64_t written; /* including an added line ending */
	bool created;
	bool completed; /* the last line was terminated first */
	struct stat_data stat;
};

/* A root: its path without symlinks, and its identity. */
struct root_id {
	struct str path;
	uint64_t dev, ino;
};

/* Which of some names may exist in a directory. */
struct present {
	unsigned names; /* bit 0 for the first; not set = certainly absent */
	bool at_root;   /* the directory is a root, not inside another one */
};

/* Names in the directory of a path, unsorted; incomplete if very many. */
struct names {
	struct str dir; /* key of the directory; "" = it does not exist */
	const struct str *name;
	size_t count;
};

struct ws_entry {
	struct str name; /* any bytes but "/" and NUL */
	enum ws_entry_kind kind;
	uint64_t size;
	int64_t mtime; /* nanoseconds */
	bool own;      /* one of stet's own files (own.h) */
};

/* A part of a sorted directory: directories first, then by bytes. */
struct ws_entries {
	struct str key; /* of the directory */
	const struct ws_entry *entry;
	size_t count;
	size_t total; /* entries read, at most WS_ENTRIES_MOST */
	bool unread;  /* the directory has more */
};

enum { WS_ENTRIES_MOST = 200000 };

struct workspace_ops {
	/*
	 * ERR_NOT_FOUND, ERR_NOT_A_FILE, ERR_TOO_LARGE past @max bytes ...
	 * On failure ret->key is the key if it is known, else "": even the
	 * fault must not reveal a file that the caller may not read. The same
	 * holds for page.
	 */
	enum err (*load)(struct workspace *, struct str path, uint64_t max,
			 const struct progress *, struct arena *,
			 struct snapshot *ret, struct fault *);
	/*
	 * ERR_CHANGED, and nothing written, when the precondition does not
	 * hold or the key leads elsewhere by now.
	 */
	enum err (*store)(struct workspace *, struct str path,
			  const struct store_want *, struct arena *,
			  struct stored *ret, struct fault *);
	/* May be NULL: ws_page() then cuts the page from a load. */
	enum err (*page)(struct workspace *, struct str path,
			 const struct page_want *, const struct progress *,
			 struct arena *, struct page *ret, struct fault *);
	/* A missing file is not a failure; a path outside the roots is. */
	enum err (*stat)(struct workspace *, struct str path, struct arena *,
			 struct file_info *ret, struct fault *);
	/*
	 * What has that name; nothing is no failure. May be NULL, as the
	 * four below: then names cannot be changed.
	 */
	enum err (*lstat)(struct workspace *, struct str path, struct arena *,
			  struct node_info *ret, struct fault *);
	/*
	 * Never replaces anything: ERR_EXISTS. ERR_CHANGED when something else
	 * has the name by now, ERR_OTHER_DEVICE, ERR_INTO_ITSELF.
	 */
	enum err (*move)(struct workspace *, const struct move_want *,
			 struct arena *, struct fault *);
	/* An existing directory is no failure. ERR_NOT_A_DIRECTORY. */
	enum err (*make_dir)(struct workspace *, struct str path,
			     const struct make_dir_want *, struct arena *,
			     struct made_dirs *ret, struct fault *);
	/* ERR_NOT_EMPTY; ERR_CHANGED_AT when it is another one by now. */
	enum err (*remove_name)(struct workspace *, struct str path,
				const struct name_want *, struct arena *,
				struct fault *);
	/* ERR_EXISTS. The target may be any text. */
	enum err (*make_link)(struct workspace *, struct str path,
			      const struct name_want *, struct arena *,
			      struct fault *);
	/*
	 * ERR_NOT_FOUND if nothing is there. May be NULL: then details are not
	 * known.
	 */
	enum err (*details)(struct workspace *, struct str path, struct arena *,
			    struct file_details *ret, struct fault *);
	enum err (*append)(struct workspace *, struct str path,
			   const struct append_want *, struct arena *,
			   struct appended *ret, struct fault *);
	/* ERR_CHANGED unless the file has exactly that content. */
	enum err (*remove)(struct workspace *, struct str path,
			   struct hash version, const struct store_want *,
			   struct arena *, struct fault *);
	/*
	 * Several changes as one step, see group.h. ERR_CHANGED and nothing
	 * changed when a file is not as it was. May be NULL: then ws_group()
	 * makes one after the other.
	 */
	enum err (*group)(struct workspace *, struct group_want *,
			  struct arena *, struct fault *);
	/*
	 * Complete or undo the groups of processes that died. ERR_LATER rather
	 * than block. May be NULL: then there are none.
	 */
	enum err (*recover)(struct workspace *, const struct progress *);
	/* May be NULL: then any of the names may exist. */
	struct present (*present)(struct workspace *, struct str dir,
				  const char *const *names, struct arena *);
	/* May be NULL: then no names are known. */
	struct names (*names)(struct workspace *, struct str path,
			      bool directories, struct arena *);
	/*
	 * At most @limit entries of the directory at @path after the first
	 * @skip. ERR_NOT_FOUND, or ERR_NOT_A_FILE if it is not a directory.
	 * May be NULL: then directories cannot be listed.
	 */
	enum err (*entries)(struct workspace *, struct str path, size_t skip,
			    size_t limit, struct arena *,
			    struct ws_entries *ret, struct fault *);
	/* See ws_tree() in tree.h. May be NULL: then nothing can be walked. */
	enum err (*tree)(struct workspace *, struct str path, struct arena *,
			 struct tree_place *ret, struct fault *);
	/*
	 * Do its calls wait for another process, so that none of them may run
	 * on the loop thread? NULL = no.
	 */
	bool (*waits)(struct workspace *);
	/* False if no root contains the key. May be NULL: no roots. */
	bool (*root_of)(struct workspace *, struct str key, struct arena *,
			struct root_id *ret);
	/* The paths of the roots, without symlinks. May be NULL: no roots. */
	const struct str *(*roots)(struct workspace *, struct arena *,
				   size_t *ret_n);
};

struct workspace {
	const struct workspace_ops *ops;
	const char *source; /* default origin of results: "disk" or "editor" */
	/*
	 * Crash recovery has been started for the files of the present roots;
	 * set by tools/change/recovery.c, cleared when the roots change.
	 */
	atomic_bool recovered;
	/* So have been groups alone; set by tools/call/dispatch.c. */
	atomic_bool groups_recovered;
};

must_check enum err ws_load(struct workspace *ws, struct str path, uint64_t max,
			    const struct progress *progress, struct arena *mem,
			    struct snapshot *ret, struct fault *f);
must_check enum err ws_store(struct workspace *ws, struct str path,
			     const struct store_want *want, struct arena *mem,
			     struct stored *ret, struct fault *f);
must_check enum err ws_stat(struct workspace *ws, struct str path,
			    struct arena *mem, struct file_info *ret,
			    struct fault *f);
must_check enum err ws_details(struct workspace *ws, struct str path,
			       struct arena *mem, struct file_details *ret,
			       struct fault *f);
must_check enum err ws_lstat(struct workspace *ws, struct str path,
			     struct arena *mem, struct node_info *ret,
			     struct fault *f);
must_check enum err ws_move(struct workspace *ws, const struct move_want *want,
			    struct arena *mem, struct fault *f);
must_check enum err ws_make_dir(struct workspace *ws, struct str path,
				const struct make_dir_want *want,
				struct arena *mem, struct made_dirs *ret,
				struct fault *f);
must_check enum err ws_remove_name(struct workspace *ws, struct str path,
				   const struct name_want *want,
				   struct arena *mem, struct fault *f);
must_check enum err ws_make_link(struct workspace *ws, struct str path,
				 const struct name_want *want,
				 struct arena *mem, struct fault *f);
must_check enum err ws_append(struct workspace *ws, struct str path,
			      const struct append_want *want, struct arena *mem,
			      struct appended *ret, struct fault *f);
/* Uses only key, progress, made_ms, ready and ctx of @want; may be NULL. */
must_check enum err ws_remove(struct workspace *ws, struct str path,
			      struct hash version,
			      const struct store_want *want, struct arena *mem,
			      struct fault *f);
/*
 * @names is NULL-terminated, at most 32. The roots are not checked again: call
 * it after another operation on a file.
 */
struct present ws_present(struct workspace *ws, struct str dir,
			  const char *const *names, struct arena *mem);
/*
 * The files, or the directories, in the directory of @path; without @dir if it
 * does not exist. The name of a directory may itself be a secret: tell it only
 * as a part of the path of a file that the caller may know of.
 */
struct names ws_names(struct workspace *ws, struct str path, bool directories,
		      struct arena *mem);
must_check enum err ws_entries(struct workspace *ws, struct str path,
			       size_t skip, size_t limit, struct arena *mem,
			       struct ws_entries *ret, struct fault *f);
const struct str *ws_roots(struct workspace *ws, struct arena *mem,
			   size_t *ret_n);
bool ws_waits(struct workspace *ws);
/* The root that contains @key; the roots are not checked again. */
must_check bool ws_root_of(struct workspace *ws, struct str key,
			   struct arena *mem, struct root_id *ret);
must_check enum err ws_group(struct workspace *ws, struct group_want *want,
			     struct arena *mem, struct fault *f);
/* Before anything is concluded from what files contain; see recover above. */
enum err ws_recover(struct workspace *ws, const struct progress *progress);
must_check enum err ws_page(struct workspace *ws, struct str path,
			    const struct page_want *want,
			    const struct progress *progress, struct arena *mem,
			    struct page *ret, struct fault *f);

#endif
