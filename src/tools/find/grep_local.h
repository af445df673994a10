/*
 * grep_local.h - the parts of a search, shared by its files:
 *
 *	grep.c          the queue of batches and the threads
 *	grep_file.c     searches one file, on any of the threads
 *	grep_collect.c  puts results together in the order of the walk
 */
#ifndef STET_GREP_LOCAL_H
#define STET_GREP_LOCAL_H

#include "files/filetext.h"
#include "tools/find/grep.h"

#include <pthread.h>

enum {
	GREP_BATCH = 48,       /* files */
	GREP_BATCH_OUT = 8192, /* bytes of a batch's buffers that are kept */
};

/* A file, and what was found in it. */
struct grep_file {
	/* counted as a reference once for consecutive files of one @dir */
	struct tree_dir *dir;
	const struct find_start *start;
	size_t name; /* offset in the batch's names */
	size_t name_len;

	uint64_t count;
	int64_t mtime;
	size_t path;     /* offset in the batch's paths, */
	size_t path_len; /* if there are matches */
	size_t text_end; /* end of its lines in the batch's output */
	const struct encoding *decoded; /* NULL = plain UTF-8 */
	struct find_counts walked;      /* what the walk had left out by then */
	bool uncertain, costly, binary, too_large, unreadable;
};

struct grep_batch {
	struct grep_file file[GREP_BATCH];
	size_t count;
	size_t collected; /* files whose result was collected already */
	size_t text_done; /* bytes of their lines */
	struct buf names, paths;
	struct search_output out;
	uint64_t index;
	bool done;
	bool page_full; /* the page ends in the file at @collected */
	bool in_file;   /* lines of the file at @collected were collected */
	struct grep_batch *next; /* in the queue, or of those that are free */
};

/* The page before the lines of a file. */
struct grep_mark {
	size_t text, chars;
	uint64_t lines, lines_seen;
};

struct grep {
	struct find *find;
	const struct grep_want *want;
	struct grep_out *out;

	pthread_mutex_t lock; /* for what is below, unless it says otherwise */
	pthread_cond_t work;  /* the queue has grown, or has been closed */
	pthread_cond_t moved; /* a batch was collected */
	struct grep_batch *queue, **queue_end;
	struct grep_batch *unused;
	struct grep_batch **window; /* handed out, by index % window_size */
	size_t window_size;
	uint64_t handed, collected;  /* numbers of batches */
	bool closed;                 /* no more batches will be queued */
	bool full;                   /* later files do not count */
	struct grep_mark mark;       /* for grep_retract() */
	struct find_counts walked;   /* as of the last file that counts */
	struct find_counts searched; /* binary, too large, unreadable */
	atomic_bool
		over; /* the deadline has passed, or the call was cancelled */
	atomic_size_t files_done;
	uint64_t reported_at; /* clock_ms(); only on the walk's thread */
	atomic_bool stopped;  /* no more files: enough, over, or costly */
	size_t idle, started;
	pthread_t *thread;
	size_t threads;

	struct grep_batch *filling; /* of the walk's thread only */
};

/* What a thread needs to search files. */
struct grep_worker {
	struct grep *g;
	struct searcher *search;
	struct filetext *text;
	struct arena mem; /* for one file */
	struct call call; /* a copy of the call with this memory */
	struct fault fault;
	struct grep_batch *batch;
	struct grep_file *file;
	bool reports; /* runs on the thread of the call */
};

/* Report progress, if it is time; on the thread of the call. */
void grep_report(struct grep *g);

must_check bool grep_worker_open(struct grep_worker *w, struct grep *g);
void grep_worker_close(struct grep_worker *w);

/* Search w->file; its result is in there and in the batch. */
void grep_search_file(struct grep_worker *w);

/*
 * Called when the output of a batch is large: waits until all batches before it
 * are collected and collects what there is. False = no more is wanted.
 */
bool grep_flush(void *worker);

/* Collect the result of the next file of @b, or of all. Under the lock. */
void grep_collect_next(struct grep *g, struct grep_batch *b);
void grep_collect(struct grep *g, struct grep_batch *b);

/* Take back lines of a file that turned out to be binary. Under the lock. */
void grep_retract(struct grep *g, struct grep_batch *b);

/* Lines of the file that is being searched. Under the lock. */
void grep_collect_lines(struct grep *g, struct grep_batch *b, size_t end);

#endif
