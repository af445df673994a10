/*
 * ws_acp_local.h - internals shared by the files of ws_acp.
 *
 *	ws_acp.c        reads, and operations of the disk alone
 *	ws_acp_store.c  changes
 */
#ifndef STET_WS_ACP_LOCAL_H
#define STET_WS_ACP_LOCAL_H

#include "acp/editor_buffer.h"
#include "acp/ws_acp.h"

#include <pthread.h>

enum { ACP_MAX_BYTES = 16 << 20, ACP_SYNCED_SLOTS = 1024 };

/* The text of a file when editor and disk were last in sync. */
struct acp_synced {
	struct hash key, text;
};

struct ws_acp {
	struct workspace
		ws; /* must be first: struct workspace is cast to ws_acp */
	struct workspace *disk;
	struct editor *editor;
	pthread_mutex_t lock;
	struct acp_synced synced[ACP_SYNCED_SLOTS]; /* under the lock */
};

/* A file as the disk and the editor have it. */
struct acp_file {
	struct str name;      /* path for the editor */
	struct snapshot snap; /* the effective content; all 0 = no file */
	struct snapshot disk; /* the content on disk */
	struct disk_text file;
	struct editor_buffer buffer;
	bool exists;  /* on disk */
	bool served;  /* the editor provided the content */
	bool unsaved; /* the disk has other bytes */
};

/*
 * Read the file from disk and editor. ERR_NOT_FOUND: neither has it, and
 * ret->snap.key is the key that it would have.
 */
must_check enum err acp_read_both(struct ws_acp *w, struct str path,
				  uint64_t max, const struct progress *progress,
				  struct arena *mem, struct acp_file *ret,
				  struct fault *f);

/* Does the path resolve to that key on disk at this moment? */
must_check bool acp_leads_to(struct ws_acp *w, struct str path, struct str key,
			     struct arena *mem);

must_check enum err acp_store(struct workspace *ws, struct str path,
			      const struct store_want *want, struct arena *mem,
			      struct stored *ret, struct fault *f);
must_check enum err acp_append(struct workspace *ws, struct str path,
			       const struct append_want *want,
			       struct arena *mem, struct appended *ret,
			       struct fault *f);

#endif
