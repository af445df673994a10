/*
 * memory.h - a workspace in memory, for tests of the layers above.
 */
#ifndef STET_MEMORY_H
#define STET_MEMORY_H

#include "files/workspace.h"

struct memory_file {
	const char *path; /* NULL ends the list */
	struct str bytes;
};

struct memory {
	struct workspace ws;
	struct memory_file files[8];
	struct arena mem;
	unsigned loads, stores, appends, removes;
	bool overtaken;    /* they come right after, not before */
	unsigned races;    /* number of stores that fail with ERR_CHANGED */
	struct str theirs; /* and has written this, unless it is "" */
	unsigned hashed;   /* stores that came with the right hash */
};

static struct memory_file *memory_find(struct memory *m, struct str path)
{
	for (struct memory_file *f = m->files; f->path; f++)
		if (str_is(path, f->path))
			return f;
	return NULL;
}

static enum err memory_load(struct workspace *ws, struct str path, uint64_t max,
			    const struct progress *progress, struct arena *mem,
			    struct snapshot *ret, struct fault *f)
{
	struct memory *m = (struct memory *)ws;
	struct memory_file *file = memory_find(m, path);

	if (!file)
		return fail(f, ERR_NOT_FOUND, .path = path);
	m->loads++;
	if (progress && progress->byte_limit &&
	    file->bytes.len > progress->byte_limit)
		return ERR_LATER;
	*ret = (struct snapshot){ file->bytes, hash_of(file->bytes), path };
	return ERR_OK;
}

/* A new one, with nothing in it yet. */
static struct memory_file *memory_make(struct memory *m, struct str path)
{
	struct memory_file *file = m->files;

	while (file->path)
		file++;
	file->path = arena_cstr(&m->mem, path);
	return file;
}

/* There are no directories, so what @parents asks for is always there. */

static enum err memory_store(struct workspace *ws, struct str path,
			     const struct store_want *want, struct arena *mem,
			     struct stored *ret, struct fault *f)
{
	struct memory *m = (struct memory *)ws;
	struct memory_file *file = memory_find(m, path);
	bool created = !file;

	if (m->races && m->races--) {
		if (m->theirs.len && file)
			file->bytes = m->theirs;
		return fail(f, m->overtaken ? ERR_OVERTAKEN : ERR_CHANGED,
			    .path = path);
	}
	if (want->ready) {
		enum err e = want->ready(want->ctx, f);

		if (e)
			return e;
	}
	if (!file)
		file = memory_make(m, path);
	m->stores++;
	m->hashed += want->hash && hash_eq(*want->hash, hash_of(want->bytes));
	file->bytes = arena_copy(&m->mem, want->bytes);
	*ret = (struct stored){ .version = hash_of(want->bytes),
				.key = path,
				.created = created };
	return ERR_OK;
}

static enum err memory_stat(struct workspace *ws, struct str path,
			    struct arena *mem, struct file_info *ret,
			    struct fault *f)
{
	bool there = memory_find((struct memory *)ws, path);

	*ret = (struct file_info){ .exists = there,
				   .is_file = there,
				   .key = path };
	return ERR_OK;
}

static enum err memory_append(struct workspace *ws, struct str path,
			      const struct append_want *want, struct arena *mem,
			      struct appended *ret, struct fault *f)
{
	struct memory *m = (struct memory *)ws;
	struct memory_file *file = memory_find(m, path);
	struct str old = file ? file->bytes : STR("");
	bool torn =
		want->newline.len && old.len && !str_ends(old, want->newline);
	auto_buf all = BUF_INIT;

	buf_add(&all, old);
	buf_add(&all, torn ? want->eol : STR(""));
	buf_add(&all, want->bytes);
	if (want->ready) {
		struct str bytes = str_skip(buf_str(&all), old.len);
		enum err e = want->ready(want->ctx, old.len,
					 arena_copy(mem, bytes), f);

		if (e)
			return e;
	}
	*ret = (struct appended){ .key = path,
				  .at = old.len,
				  .written = buf_str(&all).len - old.len,
				  .created = !file,
				  .completed = torn };
	if (!file)
		file = memory_make(m, path);
	m->appends++;
	file->bytes = arena_copy(&m->mem, buf_str(&all));
	return ERR_OK;
}

static enum err memory_remove(struct workspace *ws, struct str path,
			      struct hash version,
			      const struct store_want *want, struct arena *mem,
			      struct fault *f)
{
	struct memory *m = (struct memory *)ws;
	struct memory_file *file = memory_find(m, path);

	if (!file || !hash_eq(hash_of(file->bytes), version))
		return fail(f, ERR_CHANGED, .path = path);
	if (want && want->ready) {
		enum err e = want->ready(want->ctx, f);

		if (e)
			return e;
	}
	m->removes++;
	do
		file[0] = file[1];
	while ((file++)->path);
	return ERR_OK;
}

static const struct workspace_ops memory_ops = {
	.load = memory_load,
	.store = memory_store,
	.stat = memory_stat,
	.append = memory_append,
	.remove = memory_remove,
};

#define MEMORY(...)                                                       \
	{                                                                 \
		.ws = { &memory_ops, "memory" }, .files = { __VA_ARGS__ } \
	}

#endif
