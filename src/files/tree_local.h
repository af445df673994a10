/*
 * tree_local.h - internals shared by the files that implement tree.h.
 */
#ifndef STET_TREE_LOCAL_H
#define STET_TREE_LOCAL_H

#include "files/roots.h"
#include "files/tree.h"

#include <pthread.h>

/* State that the directories of one walk share; freed with the last of them. */
struct tree {
	atomic_uint refs; /* one per directory */
	struct roots *roots;
	pthread_mutex_t lock;
	pthread_cond_t released; /* a detached directory was closed */
	unsigned detached;       /* under lock */
	struct own_inodes *own;  /* under lock */
};

/* A name in tree_names.text; 8 bytes, as a directory may have a million. */
struct tree_name {
	uint32_t at; /* offset */
	uint8_t len;
	uint8_t kind; /* enum tree_kind */
};

/* A stack of listings: one for each directory on the way to the current one. */
struct tree_names {
	char *text;
	size_t text_len, text_room;
	struct tree_name *name;
	size_t count, room;
};

/* One listing of the stack. */
struct tree_list {
	const struct tree_names *names;
	size_t from, to; /* indexes of names->name */
};

enum { TREE_BATCH = 64 * 1024 }; /* bytes of one getdents64() */

/*
 * Push the sorted names of @dir; @batch has TREE_BATCH bytes. 0, an errno
 * value, or ECANCELED when stop() returned true.
 */
must_check int tree_list_read(struct tree_names *names, struct tree_dir *dir,
			      void *batch, const struct tree_visitor *v,
			      struct tree_list *ret);
/* Pop a listing, the latest one. */
void tree_list_pop(struct tree_names *names, const struct tree_list *list);
void tree_names_free(struct tree_names *names);

/* Make a directory of @fd, which it owns, with the path @key/@name. */
struct tree_dir *tree_dir_new(struct tree *tree, int fd, struct str key,
			      struct str name, const struct tree_dir *parent);

/* A descriptor of the directory @name in @dir, or -1 and errno. */
must_check int tree_open_directory(const struct tree_dir *dir, const char *name,
				   bool *ret_mounted);

/* Is @fd on a pseudo filesystem of the kernel: proc, sysfs ...? */
bool tree_is_pseudo(int fd);

/* Is @fd the same directory as @dir or one above it? */
bool tree_is_loop(const struct tree_dir *dir, int fd);

/* The walk is done with @dir; another thread may still use it. */
void tree_dir_leave(struct tree_dir *dir);

/* Wait until few detached directories are open. */
void tree_wait(struct tree *tree, const struct tree_visitor *v);

/* Is the name one of stet's own, or that of a temporary file? */
bool tree_hides(const struct tree_dir *dir, struct str name);

#endif
