/*
 * err.c - the table of errors, and their messages.
 *
 * A message of errors.def is a template; {field} is replaced by the field of
 * the fault.
 */
#include "base/err.h"

#include <errno.h>

enum err_kind { TOOL, RPC, CODED };
enum err_outcome { FAILED, DENIED, ASKED, REASON };

static const struct {
	const char *name;
	enum err_kind kind;
	enum err_outcome end;
	int code, exit;
	const char *message;
} rows[] = {
	{ "OK", TOOL, FAILED, 0, 0, "" },
#define ERROR(name, kind, end, code, exit, message) \
	{ #name, kind, end, code, exit, message },
#include "base/errors.def"
#undef ERROR
};

enum err fault_set(struct fault *f, const struct fault *what)
{
	if (f)
		*f = *what;
	return what->err;
}

bool err_is_rpc(enum err e)
{
	return rows[e].kind == RPC;
}

bool err_is_coded(enum err e)
{
	return rows[e].kind == CODED;
}

enum fault_end fault_end(const struct fault *f)
{
	switch (rows[f->err].end) {
	case DENIED:
		return FAULT_DENIED;
	case ASKED:
		return FAULT_ASKED;
	case REASON:
		return f->reason ? FAULT_DENIED : FAULT_FAILED;
	case FAILED:
		break;
	}
	return FAULT_FAILED;
}

int err_code(enum err e)
{
	return rows[e].code;
}

int err_exit(enum err e)
{
	return rows[e].exit;
}

const char *err_name(enum err e)
{
	return rows[e].name;
}

const struct err_exit_status err_exit_statuses[] = {
#define EXIT_STATUS(status, meaning) { status, meaning },
#include "base/exit_statuses.def"
#undef EXIT_STATUS
};

const size_t err_exit_statuses_count = COUNT_OF(err_exit_statuses);

static struct str parent_of(struct str path)
{
	size_t slash = str_rfind(path, '/');

	if (slash == path.len)
		return STR(".");
	return slash ? str_head(path, slash) : STR("/");
}

static void add_os(int error, struct buf *out)
{
	char words[128] = "";

	/* The GNU strerror_r(): it may or may not use the array. */
	buf_add(out, str_of(strerror_r(error, words, sizeof(words))));
}

/* A peer may have chosen the text, so it is truncated. */
static void add_text(struct str text, struct buf *out)
{
	enum { MOST = 128 * 1024 };

	buf_add(out, str_head(text, MOST));
	if (text.len > MOST)
		buf_lit(out, "...");
}

static void add_field(const struct fault *f, struct str field, struct buf *out)
{
	if (str_is(field, "path"))
		add_text(f->path, out);
	else if (str_is(field, "parent"))
		add_text(parent_of(f->path), out);
	else if (str_is(field, "text"))
		add_text(f->text, out);
	else if (str_is(field, "name"))
		add_text(f->name, out);
	else if (str_is(field, "index"))
		buf_addf(out, "%zu", f->index);
	else if (str_is(field, "prior"))
		buf_addf(out, "%zu", f->prior);
	else if (str_is(field, "count"))
		buf_addf(out, "%zu", f->count);
	else if (str_is(field, "bytes"))
		buf_addf(out, "%llu", (unsigned long long)f->bytes);
	else if (str_is(field, "limit"))
		buf_addf(out, "%llu", (unsigned long long)f->limit);
	else if (str_is(field, "number"))
		buf_addf(out, "%lld", (long long)f->number);
	else if (str_is(field, "os"))
		add_os(f->os, out);
}

void fault_add_message(const struct fault *f, struct buf *out)
{
	struct str rest = str_of(rows[f->err].message);

	while (rest.len) {
		size_t open = str_find(rest, '{'), close;

		buf_add(out, str_head(rest, open));
		rest = str_skip(rest, open);
		if (!rest.len)
			break;
		close = str_find(rest, '}');
		add_field(f, str_sub(rest, 1, close), out);
		rest = str_skip(rest, close + 1);
	}
}

struct str fault_text(const struct fault *f, struct arena *mem)
{
	auto_buf out = BUF_INIT;

	fault_add_message(f, &out);
	return arena_copy(mem, buf_str(&out));
}

static enum err err_of_os(int error)
{
	switch (error) {
	case ENOENT:
	case ENOTDIR:
		return ERR_NOT_FOUND;
	case EACCES:
	case EPERM:
		return ERR_DENIED;
	case EROFS:
		return ERR_READ_ONLY_FS;
	case ENOSPC:
	case EDQUOT:
		return ERR_DISK_FULL;
	case EISDIR:
		return ERR_IS_DIRECTORY;
	case ECANCELED:
		return ERR_CANCELLED;
	case ENXIO:
	case ENODEV:
		return ERR_NOT_A_FILE;
	default:
		return ERR_IO;
	}
}

enum err fail_memory(struct fault *f, struct str what, size_t bytes,
		     const struct budget *b)
{
	return fail(f, ERR_NO_MEMORY, .text = what, .bytes = bytes,
		    .limit = budget_left(b));
}

enum err fail_os(struct fault *f, int error, struct str path)
{
	return fail(f, err_of_os(error), .path = path, .os = error);
}
