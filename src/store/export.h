/*
 * export.h - the history as lines of JSON, and back.
 *
 * The first line is a header, then come contents and operations, oldest first,
 * each content once and before the first operation that has it:
 *
 *	{"format":"stet-history","version":1,"stet":"1.0","time":...}
 *	{"content":"<BLAKE2b, hex>","encoding":"text","bytes":"..."}
 *	{"operation":{"id":"...","path":"...","content_before":"<hex>",...}}
 *
 * Only operations that have ended are exported. Memory for one line is taken at
 * a time, whatever the size of the history.
 */
#ifndef STET_EXPORT_H
#define STET_EXPORT_H

#include "store/history.h"

/* The longest line that is read: a content is one line. */
#define IMPORT_MAX_LINE ((size_t)512 << 20)

struct history_export {
	const char *version; /* of stet, for the header */
	/* Takes the next bytes of the file; false = it cannot (errno). */
	bool (*put)(void *ctx, struct str bytes);
	void *ctx;
	size_t ops, contents; /* out: how many were written */
	size_t lost;          /* out: contents that are no longer stored */
};

/* What fits @q (limit and skip do not count). ERR_IO when put() fails. */
must_check enum err history_export(struct store *s,
				   const struct history_query *q,
				   struct history_export *x, struct fault *f);

struct history_import {
	int fd;               /* read from its current position */
	bool plan;            /* only check, import nothing */
	size_t line;          /* out: the last one that was read */
	size_t ops, contents; /* out: imported */
	size_t present;       /* out: operations skipped as known */
};

/*
 * Take all of the file, or nothing: one transaction. ERR_BAD_ARGS with the line
 * for what is not as history_export() writes it; all of a file is checked, as
 * it may come from anybody. Operations that are there already are skipped. No
 * file of a project is touched.
 */
must_check enum err history_import(struct store *s, struct history_import *i,
				   struct arena *mem, struct fault *f);

#endif
