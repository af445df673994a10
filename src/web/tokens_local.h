/*
 * tokens_local.h - shared by the files of the tokens.
 */
#ifndef STET_TOKENS_LOCAL_H
#define STET_TOKENS_LOCAL_H

#include "base/digest.h"
#include "web/state_file.h"
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
	bool damaged; /* the file is private, but cannot be parsed */
};

bool tokens_name_ok(struct str name);

/* Read `tokens`; a missing file has none. Errors as of state_file_read(). */
must_check enum err tokens_load(const struct state_file_dir *d,
				struct arena *mem, struct token_rows *ret,
				int *ret_fd, struct fault *f);

/*
 * Under the lock: rename a damaged `tokens`, and report it on stderr. Its
 * tokens are not valid any more.
 */
must_check enum err tokens_put_aside(const struct state_file_dir *d,
				     struct arena *mem, struct fault *f);

/* Under the lock. */
must_check enum err tokens_save(const struct state_file_dir *d,
				const struct token_rows *rows,
				struct arena *mem, struct fault *f);

/* Update each row with the last use of its token. */
void tokens_seen_load(const struct state_file_dir *d, struct token_row *rows,
		      size_t n, struct arena *mem);

/* Best effort: without waiting for a lock or a disk. */
void tokens_seen_save(const struct state_file_dir *d, struct token_row *rows,
		      size_t n);

#endif
