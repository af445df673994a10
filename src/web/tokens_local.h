/*
 * tokens_local.h - what the files of the tokens share.
 */
#ifndef STET_TOKENS_LOCAL_H
#define STET_TOKENS_LOCAL_H

#include "base/digest.h"
#include "web/statefile.h"
#include "web/tokens.h"

#define TOKENS_OWNER "token"
#define TOKENS_NAMED "tokens"
#define TOKENS_SEEN  "tokens.seen"

struct token_row {
	struct str name;
	struct digest digest;
	uint64_t made_ms;
	uint64_t seen_ms;
};

struct token_rows {
	struct token_row at[TOKENS_MOST];
	size_t count;
	bool damaged; /* the file is ours, but what it says is no list */
};

bool tokens_name_ok(struct str name);

/* Read `tokens`: the file that is not there has none. As statefile_read(). */
must_check enum err tokens_load(const struct statedir *d, struct arena *mem,
				struct token_rows *ret, int *ret_fd,
				struct fault *f);

/*
 * Under the lock: rename a damaged `tokens`, and say so on stderr. None of the
 * tokens that were in there comes in.
 */
must_check enum err tokens_put_aside(const struct statedir *d,
				     struct arena *mem, struct fault *f);

/* Under the lock. */
must_check enum err tokens_save(const struct statedir *d,
				const struct token_rows *rows,
				struct arena *mem, struct fault *f);

/* Into each row, when its token last came in, if that is later. */
void tokens_seen_load(const struct statedir *d, struct token_row *rows,
		      size_t n, struct arena *mem);

/* Best effort: without waiting for a lock or a disk. */
void tokens_seen_save(const struct statedir *d, struct token_row *rows,
		      size_t n);

#endif
