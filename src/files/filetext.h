/*
 * filetext.h - the text of an open file, in blocks of whole lines.
 *
 * For searching: UTF-8 with LF as the only line ending, in blocks that a
 * struct searcher (text/search) takes as they are. Valid UTF-8 is passed on as it
 * is, anything else is decoded as Read would (text/encoding).
 *
 * Whether the file is text is decided by its first 64 KiB; a NUL byte that comes
 * later makes it binary as well. When bytes that are no UTF-8 come later, the
 * encoding is detected anew and the text begins again: FILETEXT_AGAIN.
 *
 * A struct filetext holds the buffers of one thread, for one file after the
 * other.
 */
#ifndef STET_FILETEXT_H
#define STET_FILETEXT_H

#include "files/tree.h"
#include "text/encoding/encoding.h"

struct filetext;

enum filetext_state {
	FILETEXT_BLOCK, /* there is a block */
	FILETEXT_END,
	FILETEXT_AGAIN,  /* forget all blocks so far: they start anew */
	FILETEXT_BINARY, /* forget them: the file is not text */
	FILETEXT_TOO_LARGE,
	FILETEXT_UNREADABLE,
};

struct filetext_want {
	bool whole; /* one block with everything, up to @max_whole */
	uint64_t max_whole;
	bool binary_too; /* a binary file is read as bytes */
	/* The encoding that is configured for the file, if that matters. */
	const struct encoding *(*named)(void *ctx);
	void *ctx;
};

struct filetext_info {
	struct detected in;
	bool is_binary;  /* with want.binary_too */
	bool is_decoded; /* it is not plain UTF-8 */
};

must_check struct filetext *filetext_new(void);
void filetext_free(struct filetext *t);

/* @file and @want stay valid until the last block. */
void filetext_begin(struct filetext *t, const struct tree_file *file,
		    const struct filetext_want *want);

/* The next block, valid until the next call, and its SEARCH_ flags. */
enum filetext_state filetext_next(struct filetext *t, struct str *ret,
				  unsigned *ret_flags);

/* About the file, after its last block. */
const struct filetext_info *filetext_info(const struct filetext *t);

#endif
