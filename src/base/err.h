/*
 * err.h - error codes, and the fault that describes one.
 *
 *	return fail(f, ERR_NOT_FOUND, .path = path);
 *
 * An enum err says what went wrong; the struct fault beside it, always the last
 * parameter, holds the details. The row in errors.def turns both into the error
 * code, the exit status and the message that the caller sees. Views in a fault
 * must outlive it; mostly they are in the call's arena.
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
	int os; /* errno value, for {os} */

	/* for the error's data, not for its message */
	const char *reason; /* fixed word for programs, as "outside_roots" */
	struct str hint;    /* what to do about it */
	struct str version; /* of the file now */
	struct str changed; /* short diff to the version before */
	struct str by;      /* author of the change, if known: JSON object */
	const struct str *roots; /* the directories that we serve */
	size_t roots_count;
	struct str candidates;   /* possible places: JSON array */
	struct str nearest;      /* candidates as lines of text */
	struct str conflicts;    /* conflicting places: JSON array */
	struct str file;         /* of several, the one that it is about */
	size_t hunk, patch_line; /* of a patch, from 1; 0 = none */
	struct str data;         /* JSON object, instead of all of these */
};

#define fail(f, e, ...) \
	fault_set((f), &(struct fault){ .err = (e), __VA_ARGS__ })

/* Copy @what to @f, which may be NULL, and return its err. */
enum err fault_set(struct fault *f, const struct fault *what);

/* Did the request fail before any tool ran? */
bool err_is_rpc(enum err e);

/*
 * An error that Write reports as a result; err_code() is its errorCode, or 0.
 */
bool err_is_coded(enum err e);

/* The outcome of a failed call, for statistics and display. */
enum fault_end {
	FAULT_FAILED,
	FAULT_DENIED, /* by a person, rule, hook or setting */
	FAULT_ASKED,  /* waits for the answer of a person */
};

enum fault_end fault_end(const struct fault *f);

int err_code(enum err e);
int err_exit(enum err e);
const char *err_name(enum err e);

/* The rows of exit_statuses.def. */
struct err_exit_status {
	int status;
	const char *meaning;
};
extern const struct err_exit_status err_exit_statuses[];
extern const size_t err_exit_statuses_count;

/* Append the message of @f to @out. */
void fault_add_message(const struct fault *f, struct buf *out);

/* The same, in @mem. */
struct str fault_text(const struct fault *f, struct arena *mem);

/*
 * Map a failed system call on @path to an error: ENOENT to NOT_FOUND, EACCES to
 * DENIED and so on; all others to IO with the system's message.
 */
enum err fail_os(struct fault *f, int error, struct str path);

/* ERR_NO_MEMORY: @b has no room for @bytes of @what. */
enum err fail_memory(struct fault *f, struct str what, size_t bytes,
		     const struct budget *b);

#endif
