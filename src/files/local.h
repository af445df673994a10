/*
 * local.h - internals shared by the files that implement ws_local.
 */
#ifndef STET_LOCAL_H
#define STET_LOCAL_H

#include "files/beneath.h"
#include "files/journal.h"
#include "files/lineindex.h"
#include "files/private_dir.h"
#include "files/roots.h"
#include "files/tmpfile_pool.h"
#include "files/ws_local.h"

#include <pthread.h>

struct ws_local {
	struct workspace
		ws; /* must be first: struct workspace is cast to ws_local */
	struct ws_local_options options;
	struct arena mem; /* of private paths and own files */
	struct private_dirs private;
	struct locks locks;
	struct journal journal;
	struct lineindex_cache indexes;
	struct tmpfile_pool tmpfiles;
	pthread_mutex_t roots_lock;
	struct roots *roots;          /* under roots_lock */
	const struct own_items *ours; /* under roots_lock; see own.h */
};

/* The current roots, checked against the disk; to be dropped. */
struct roots *local_roots(struct ws_local *w);

/* The roots as of the last check by any call; to be dropped. */
struct roots *local_roots_unchecked(struct ws_local *w);

/* beneath_open(), and before that recover what a crash has left unfinished. */
must_check enum err local_open(struct ws_local *w, const struct roots *roots,
			       struct str path, const struct progress *progress,
			       struct arena *mem, struct opened *ret,
			       struct fault *f);

/* Recover a file that a crash has left torn (journal.h). */
must_check enum err local_recover(struct ws_local *w, const struct roots *roots,
				  struct str key, const struct stat *st,
				  const struct progress *progress,
				  struct arena *mem, struct fault *f);

must_check enum err local_load(struct workspace *ws, struct str path,
			       uint64_t max, const struct progress *progress,
			       struct arena *mem, struct snapshot *ret,
			       struct fault *f);
must_check enum err local_store(struct workspace *ws, struct str path,
				const struct store_want *want,
				struct arena *mem, struct stored *ret,
				struct fault *f);
must_check enum err local_page(struct workspace *ws, struct str path,
			       const struct page_want *want,
			       const struct progress *progress,
			       struct arena *mem, struct page *ret,
			       struct fault *f);
must_check enum err local_stat(struct workspace *ws, struct str path,
			       struct arena *mem, struct file_info *ret,
			       struct fault *f);
must_check enum err local_details(struct workspace *ws, struct str path,
				  struct arena *mem, struct file_details *ret,
				  struct fault *f);
must_check enum err local_lstat(struct workspace *ws, struct str path,
				struct arena *mem, struct node_info *ret,
				struct fault *f);
must_check enum err local_move(struct workspace *ws,
			       const struct move_want *want, struct arena *mem,
			       struct fault *f);
must_check enum err local_make_dir(struct workspace *ws, struct str path,
				   const struct make_dir_want *want,
				   struct arena *mem, struct made_dirs *ret,
				   struct fault *f);
must_check enum err local_remove_name(struct workspace *ws, struct str path,
				      const struct name_want *want,
				      struct arena *mem, struct fault *f);
must_check enum err local_make_link(struct workspace *ws, struct str path,
				    const struct name_want *want,
				    struct arena *mem, struct fault *f);
bool local_root_of(struct workspace *ws, struct str key, struct arena *mem,
		   struct root_id *ret);
struct names local_names(struct workspace *ws, struct str path,
			 bool directories, struct arena *mem);
must_check enum err local_entries(struct workspace *ws, struct str path,
				  size_t skip, size_t limit, struct arena *mem,
				  struct ws_entries *ret, struct fault *f);
must_check enum err local_tree(struct workspace *ws, struct str path,
			       struct arena *mem, struct tree_place *ret,
			       struct fault *f);
struct present local_present(struct workspace *ws, struct str dir,
			     const char *const *names, struct arena *mem);
must_check enum err local_append(struct workspace *ws, struct str path,
				 const struct append_want *want,
				 struct arena *mem, struct appended *ret,
				 struct fault *f);
must_check enum err local_remove(struct workspace *ws, struct str path,
				 struct hash version,
				 const struct store_want *want,
				 struct arena *mem, struct fault *f);
enum err local_recover_groups(struct workspace *ws,
			      const struct progress *progress);
must_check enum err local_group(struct workspace *ws, struct group_want *want,
				struct arena *mem, struct fault *f);

#endif
