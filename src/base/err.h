/*
 * err.h - failing, in one line.
 *
 *	return fail(f, ERR_NOT_FOUND, .path = path);
 *
 * An enum err says what went wrong; the struct fault beside it, always the
 * last parameter, holds the particulars. The row in errors.def turns both
 * into the code, the exit status and the sentence that the caller sees. The
 * views in a fault must outlive it; mostly they are in the call's arena.
 */
#ifndef STET_ERR_H
#define STET_ERR_H

#include "base/arena.h"
#include "base/buf.h"

enum err {
	ERR_OK,
#define ERROR(name, kind, end, code, exit, message) ERR_##name,
#include "base/errors.def"
#undef ERROR
};

struct fault {
	enum err err;
	struct str path, text, name;
	size_t index, prior, count;
	uint64_t bytes, limit;
	int64_t number;
	int os; /* an errno value, for {os} */

	/* go into the error's data, not into the message */
	const char *reason; /* a fixed word for programs: "outside_roots" */
	struct str hint;    /* what to do about it, for people and models */
	struct str version; /* of the file as it is now */
	struct str changed; /* how it differs from before: a short diff */
	struct str by;      /* who changed it, when we know: a JSON object */
	const struct str *roots; /* the directories that are open to us */
	size_t roots_count;
	struct str candidates; /* where it could be: a JSON array */
	struct str nearest;    /* the same as lines of text */
	struct str conflicts;  /* places that both have changed: an array */
	struct str data;       /* a JSON object, instead of all of these */
};

#define fail(f, e, ...) \
	fault_set((f), &(struct fault){ .err = (e), __VA_ARGS__ })

/* Make @f a copy of @what, and return its err. @f may be NULL. */
enum err fault_set(struct fault *f, const struct fault *what);

/* Did the request fail before any tool ran? */
bool err_is_rpc(enum err e);

/* One of Write's own, told as a result; err_code() is its errorCode, or 0. */
bool err_is_coded(enum err e);

/* How a call with a fault has ended, as it is counted and shown. */
enum fault_end {
	FAULT_FAILED,
	FAULT_DENIED, /* by the person, a rule, a hook or the settings */
	FAULT_ASKED,  /* it waits for the person's answer */
};

enum fault_end fault_end(const struct fault *f);

int err_code(enum err e);
int err_exit(enum err e);
const char *err_name(enum err e);

/* Add the sentence of @f to @out. */
void fault_say(const struct fault *f, struct buf *out);

/* The same in the arena. */
struct str fault_text(const struct fault *f, struct arena *mem);

/*
 * What a failed system call on @path means to the caller: ENOENT is
 * NOT_FOUND, EACCES is DENIED, and so on; all others are IO with the
 * system's own words.
 */
enum err fail_os(struct fault *f, int error, struct str path);

/* There are no @bytes left in @b for @what: ERR_NO_MEMORY. */
enum err fail_memory(struct fault *f, struct str what, size_t bytes,
		     const struct budget *b);

#endif
