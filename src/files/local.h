/*
 * local.h - what the parts of ws_local share; nobody else includes it.
 */
#ifndef STET_LOCAL_H
#define STET_LOCAL_H

#include "files/journal.h"
#include "files/lineindex.h"
#include "files/private.h"
#include "files/roots.h"
#include "files/spare.h"
#include "files/ws_local.h"

#include <pthread.h>

struct ws_local {
	struct workspace ws; /* first: the one is cast to the other */
	struct ws_local_options options;
	struct arena mem; /* of the paths below */
	struct private_dirs private;
	struct locks locks;
	struct journal journal;
	struct lineindex_cache indexes;
	struct spares spares;
	pthread_mutex_t roots_lock;
	struct roots *roots;          /* under roots_lock */
	const struct own_items *ours; /* under roots_lock; see own.h */
};

/* The set as it is now; to be dropped. */
struct roots *local_roots(struct ws_local *w);

/* The set as it was at the last look of anybody; to be dropped. */
struct roots *local_roots_as_seen(struct ws_local *w);

/* Put a file right that a death left torn, if it did. */
must_check enum err local_settle(struct ws_local *w, const struct roots *roots,
				 struct str key, const struct stat *st,
				 const struct errand *errand, struct arena *mem,
				 struct fault *f);

must_check enum err local_load(struct workspace *ws, struct str path,
			       uint64_t max, const struct errand *errand,
			       struct arena *mem, struct snapshot *ret,
			       struct fault *f);
must_check enum err local_store(struct workspace *ws, struct str path,
				const struct store_want *want,
				struct arena *mem, struct stored *ret,
				struct fault *f);
must_check enum err local_page(struct workspace *ws, struct str path,
			       const struct page_want *want,
			       const struct errand *errand, struct arena *mem,
			       struct page *ret, struct fault *f);
must_check enum err local_look(struct workspace *ws, struct str path,
			       struct arena *mem, struct look *ret,
			       struct fault *f);
bool local_root_of(struct workspace *ws, struct str key, struct arena *mem,
		   struct root_id *ret);
struct names local_names(struct workspace *ws, struct str path,
			 struct arena *mem);
must_check enum err local_entries(struct workspace *ws, struct str path,
				  size_t skip, size_t limit, struct arena *mem,
				  struct ws_entries *ret, struct fault *f);
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

#endif
