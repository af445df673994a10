/*
 * tree.h - walk the directories beneath the roots, by descriptors only.
 *
 * ws_tree() resolves a path like every other access (beneath.h), and tree_walk()
 * visits what is below it, depth first, the names of a directory in the order of
 * their bytes. No path string is resolved again: each directory is opened from
 * the descriptor of its parent without following a symlink, so a directory that
 * is swapped for a symlink during the walk is not entered.
 *
 * Not entered: proc, sysfs and other pseudo filesystems (fstatfs), a directory
 * that is open above (a loop of bind mounts), and what is deeper than
 * TREE_MOST_DEPTH. stet's own files (own.h) and temporary files are never
 * reported.
 *
 * The walk itself is single-threaded. A visitor may hand a file to another
 * thread with a reference to its directory (tree_dir_ref()); at most
 * TREE_MOST_DETACHED directories stay open for that, then the walk waits.
 */
#ifndef STET_TREE_H
#define STET_TREE_H

#include "files/workspace.h"

#include <sys/types.h>

enum {
	TREE_MOST_DEPTH = 256,
	TREE_MOST_DETACHED = 64,
};

enum tree_kind {
	TREE_FILE,
	TREE_DIRECTORY,
	TREE_LINK,  /* not followed */
	TREE_OTHER, /* a FIFO, a socket or a device */
};

struct tree; /* shared by all directories of a walk */

/* An open directory; fields are constant while it is open. */
struct tree_dir {
	struct str key; /* absolute, without symlinks, NUL-terminated */
	unsigned depth; /* 0 = the start of the walk */
	void *data;     /* for the visitor */

	/* used by tree*.c only */
	int fd;
	atomic_uint refs;
	const struct tree_dir *parent; /* valid during the walk; NULL = start */
	bool detached;    /* under tree.lock: left by the walk, still in use */
	bool near_own;    /* own files may be in it or below */
	bool has_devices; /* check a file's type before opening it */
	struct tree *tree;
};

/* An entry of a directory; valid during the callback. */
struct tree_entry {
	struct str name; /* NUL-terminated; any bytes but "/" */
	enum tree_kind kind;
};

/* Where a walk begins: a directory, or a single file in one. */
struct tree_place {
	struct tree_dir *dir; /* the directory itself, or that of the file */
	struct str name;      /* of the file in @dir; "" for a directory */
	struct str key;
	enum tree_kind kind;
};

#define auto_tree_place cleanup(tree_place_drop) struct tree_place

void tree_place_drop(struct tree_place *p);

/*
 * Resolve @path, following symlinks within the roots. ERR_NOT_FOUND if nothing
 * is there; anything that exists is a place, a FIFO as well.
 */
must_check enum err ws_tree(struct workspace *ws, struct str path,
			    struct arena *mem, struct tree_place *ret,
			    struct fault *f);

/* The sorted names of an open directory; valid during enter(). */
struct tree_list;

/* Is @name in the list? Then *@ret is its kind. */
must_check bool tree_list_has(const struct tree_list *list, const char *name,
			      enum tree_kind *ret);
size_t tree_list_count(const struct tree_list *list);
struct tree_entry tree_list_at(const struct tree_list *list, size_t i);

enum tree_next {
	TREE_GO,   /* enter the directory, or continue with the next entry */
	TREE_SKIP, /* do not enter this directory, or leave it now */
	TREE_STOP, /* end the walk */
};

/* Why a directory was not entered. */
enum tree_refusal {
	TREE_UNREADABLE,
	TREE_PSEUDO, /* proc, sysfs ... */
	TREE_LOOP,
	TREE_TOO_DEEP,
};

struct tree_visitor {
	/*
	 * For every entry; a directory is opened after TREE_GO. A directory
	 * that cannot be opened, or must not be walked, is passed to
	 * not_entered().
	 */
	enum tree_next (*entry)(void *ctx, struct tree_dir *dir,
				const struct tree_entry *e);
	/* A directory was opened, the start included, and its names read. */
	enum tree_next (*enter)(void *ctx, struct tree_dir *dir,
				const struct tree_list *list);
	/* The end of a directory for which enter() returned TREE_GO. */
	void (*leave)(void *ctx, struct tree_dir *dir);
	/* The directory @name in @dir is left out; "" = @dir itself. */
	void (*not_entered)(void *ctx, struct tree_dir *dir, struct str name,
			    enum tree_refusal why);
	/* Polled between directories and while a large one is read. */
	bool (*stop)(void *ctx);
	/*
	 * The walk is about to wait until other threads drop their
	 * references to directories: hand over all files that the visitor
	 * still holds back. NULL = the visitor holds none.
	 */
	void (*waits)(void *ctx);
	void *ctx;
};

/*
 * Walk below the directory place->dir. Only entry() is needed, the other
 * callbacks may be NULL. Returns false if it was stopped.
 */
bool tree_walk(struct tree_place *place, const struct tree_visitor *v);

/*
 * Call @each for the directories above place->dir, from the outermost root that
 * contains it down to its parent; for a file place->dir itself is the last. The
 * directory is valid during the call only.
 */
void tree_above(struct tree_place *place,
		void (*each)(void *ctx, struct tree_dir *dir), void *ctx);

/*
 * The directory @name in @dir, not followed if it is a symlink; NULL if it
 * cannot be opened. To be dropped.
 */
must_check struct tree_dir *tree_dir_at(struct tree_dir *dir, const char *name);

struct tree_dir *tree_dir_ref(struct tree_dir *dir);
void tree_dir_drop(struct tree_dir *dir); /* NULL is fine; any thread */

/* An open regular file. */
struct tree_file {
	int fd;
	struct stat st;
};

#define auto_tree_file cleanup(tree_file_drop) struct tree_file

void tree_file_drop(struct tree_file *file);

enum tree_opened {
	TREE_OPENED,
	TREE_GONE,     /* removed or replaced by another kind since */
	TREE_NOT_FILE, /* a FIFO, a device ...: not opened */
	TREE_DENIED,   /* unreadable */
	TREE_OWN,      /* one of stet's own files: as if it did not exist */
};

/* Open a file for reading, without following a symlink and without waiting. */
must_check enum tree_opened tree_open(struct tree_dir *dir, const char *name,
				      struct tree_file *ret);

/* pread(): the number of bytes, 0 at the end, -1 with errno. */
must_check ssize_t tree_pread(const struct tree_file *file, void *to, size_t n,
			      uint64_t offset);

/* All of a small file; ERR_TOO_LARGE over @max, else as fail_os() would say. */
must_check enum err tree_read(struct tree_dir *dir, const char *name,
			      size_t max, struct arena *mem, struct str *ret,
			      struct stat_data *ret_stat);

/* lstat() of a name in the directory; false if it does not exist. */
must_check bool tree_stat(struct tree_dir *dir, const char *name,
			  struct stat *ret);

/* Is the entry, whose stat is known, a hard link to one of stet's own files? */
bool tree_is_own_link(struct tree_dir *dir, const struct stat *st);

#endif
