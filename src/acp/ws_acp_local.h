/*
 * ws_acp_local.h - what the files of ws_acp share.
 *
 *	ws_acp.c        reading, and what is not changed through the editor
 *	ws_acp_store.c  changes
 */
#ifndef STET_WS_ACP_LOCAL_H
#define STET_WS_ACP_LOCAL_H

#include "acp/view.h"
#include "acp/ws_acp.h"

#include <pthread.h>

enum { ACP_MOST = 16 << 20, ACP_KNOWN = 1024 };

/* The text of a file when editor and disk last agreed. */
struct acp_agreed {
	struct hash key, text;
};

struct ws_acp {
	struct workspace ws; /* first: it is cast */
	struct workspace *disk;
	struct editor *editor;
	pthread_mutex_t lock;
	struct acp_agreed agreed[ACP_KNOWN]; /* under the lock */
};

/* A file from both sides. */
struct acp_sight {
	struct str name;      /* what the editor calls it */
	struct snapshot snap; /* what counts; all 0: there is none */
	struct snapshot disk; /* the same of the disk */
	struct view_file file;
	struct view view;
	bool exists;  /* on disk */
	bool served;  /* by the editor */
	bool unsaved; /* and the disk has other bytes */
};

/*
 * Look from both sides. ERR_NOT_FOUND: there is none on either, and the key
 * of @ret->snap says where it would be.
 */
must_check enum err acp_see(struct ws_acp *w, struct str path, uint64_t max,
			    const struct errand *errand, struct arena *mem,
			    struct acp_sight *ret, struct fault *f);

/* Does the path lead to what has that key, on disk and at this moment? */
must_check bool acp_leads_to(struct ws_acp *w, struct str path, struct str key,
			     struct arena *mem);

/* Whether work is to be run again where it may block. */
must_check enum err acp_patience(const struct ws_acp *w,
				 const struct errand *errand, struct fault *f);

must_check enum err acp_store(struct workspace *ws, struct str path,
			      const struct store_want *want, struct arena *mem,
			      struct stored *ret, struct fault *f);
must_check enum err acp_append(struct workspace *ws, struct str path,
			       const struct append_want *want,
			       struct arena *mem, struct appended *ret,
			       struct fault *f);

#endif
